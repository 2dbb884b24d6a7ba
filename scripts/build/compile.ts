// Compiles with `tsc -b`: packages into dist/ for publishing, and tests and scripts for their types alone.

import { join } from 'node:path'
import { type Captured, capture } from '../process.ts'
import { readPackages, root } from '../workspace.ts'
import { pruneOutputs } from './outputs.ts'

/** The compiler's program, to be run by Node. */
export const TSC = join(root, 'node_modules/typescript/bin/tsc')

/** Builds the projects (folders from the root; everything if absent) after removing stale output. */
export function compile(projects: readonly string[] = []): Promise<Captured> {
  for (const { path } of readPackages()) pruneOutputs(join(root, path))
  return capture(process.execPath, [TSC, '-b', ...projects])
}
