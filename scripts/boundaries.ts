// Checks the import boundaries: scripts/boundaries/rules.ts against every source file. Prints each violation and
// exits 1 if there is any.

import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { rules } from './boundaries/rules.ts'
import { resolveImports } from './boundaries/tree.ts'
import { describe } from './boundaries/violation.ts'
import { findBrokenWalls } from './boundaries/walls.ts'
import { findBrokenWholes } from './boundaries/whole.ts'
import { readDevDependencies, readPackages, root } from './workspace.ts'

const PLACES = ['packages/*/src/**/*.ts', '{test,scripts,examples}/**/*.{ts,mjs}']

const paths = globSync(PLACES, { cwd: root, exclude: (path) => path.endsWith('node_modules') })
const texts = new Map(paths.map((path) => [path.split(sep).join('/'), readFileSync(join(root, path), 'utf8')]))
const graph = resolveImports({ texts, packages: readPackages(), devDependencies: readDevDependencies() })
const violations = [...findBrokenWalls(graph, rules), ...findBrokenWholes(graph, rules)]

for (const violation of violations) console.error(describe(violation))
console.log(
  `${texts.size} files, ${violations.length === 0 ? 'all within their walls' : `${violations.length} violations`}`,
)
process.exitCode = violations.length === 0 ? 0 : 1
