// Loads the modules that a worker was told to run: their names come in, entries for the registry go out.

import { createRequire } from 'node:module'
import { basename, extname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isJob } from '@eventmq-ts/job'
import { WorkerError } from '../worker-error.ts'
import { callablesOf } from './callables.ts'
import type { RegisteredJob } from './registered-job.ts'

/**
 * One module. `jobs`: its exports made by `defineJob`, under the names they define. `callables`: its plain functions and
 * classes too, under a path of one's choice.
 */
export type JobModule =
  | { readonly kind: 'jobs'; readonly module: string }
  | {
      readonly kind: 'callables'
      readonly module: string
      /** The `path` that REQUESTs name it by. Default: the file's name without its ending, or the package's name. */
      readonly path?: string | undefined
    }

/**
 * Imports the modules in their order.
 *
 * @param modules a file's path (`./jobs.ts`, absolute, or a `file:` URL) or a package's name each
 * @param folder what relative paths start from, and where packages are looked up
 * @throws WorkerError `WORKER_MODULE` where one cannot be imported, or has nothing to run
 */
export async function loadJobs(modules: readonly JobModule[], folder: string): Promise<RegisteredJob[]> {
  const loaded: RegisteredJob[] = []
  for (const wanted of modules) loaded.push(...(await loadModule(wanted, folder)))
  return loaded
}

/**
 * The jobs among these values, for a program that has them at hand and needs no module loaded.
 *
 * @param values jobs made by `defineJob`; anything else is passed over
 * @param source where they come from, for error messages
 * @example
 * new Worker({ broker, jobs: jobsOf([wordCount, mergeCounts]) })
 */
export function jobsOf(values: readonly unknown[], source = 'this program'): RegisteredJob[] {
  // The same job under two names, such as `default` and its own, is one job.
  return [...new Set(values.filter(isJob))].map((job) => ({
    path: job.path,
    callable: job.callable,
    source,
    perform: (call, context) => job.perform(call, context),
  }))
}

async function loadModule(wanted: JobModule, folder: string): Promise<RegisteredJob[]> {
  const exports = await importModule(wanted.module, folder)
  const jobs = jobsOf(Object.values(exports), wanted.module)
  if (wanted.kind === 'callables')
    jobs.push(...callablesOf(wanted.path ?? pathOf(wanted.module), wanted.module, exports))
  if (jobs.length > 0) return jobs
  const hint =
    wanted.kind === 'jobs'
      ? 'no export of it was made by defineJob; its plain functions run only if it is loaded as callables'
      : 'it exports no function, no class and no job'
  throw new WorkerError('WORKER_MODULE', `module ${wanted.module} has nothing to run: ${hint}`)
}

async function importModule(module: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(specifierOf(module, folder))
  } catch (cause) {
    const message = `module ${module} cannot be loaded (from ${folder}): ${cause instanceof Error ? cause.message : cause}`
    throw new WorkerError('WORKER_MODULE', message, { cause })
  }
}

function specifierOf(module: string, folder: string): string {
  if (module.startsWith('file:')) return module
  if (isAbsolute(module) || module.startsWith('.')) return pathToFileURL(resolve(folder, module)).href
  // A package is the user's, so it is looked up from the user's folder and not from here.
  const fromFolder = createRequire(pathToFileURL(resolve(folder, 'package.json')))
  return pathToFileURL(fromFolder.resolve(module)).href
}

function pathOf(module: string): string {
  if (!module.startsWith('.') && !isAbsolute(module) && !module.startsWith('file:')) return module
  const file = basename(module)
  return file.slice(0, file.length - extname(file).length)
}
