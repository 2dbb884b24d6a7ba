// `npm run build`: all packages to ESM, declarations and source maps in their dist/.

import { compile } from './build/compile.ts'
import { readPackages } from './workspace.ts'

const packages = readPackages()
const { status, output } = await compile(packages.map(({ path }) => path))
if (output !== '') console.error(output)
console.log(status === 0 ? `built ${packages.length} packages` : 'the build failed')
process.exitCode = status
