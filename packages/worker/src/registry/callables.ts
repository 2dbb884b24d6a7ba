// Plain functions and classes as jobs, called as EventMQ's job manager calls Python: positional arguments, then the
// keyword arguments as one last object if there are any. A module's exports come in, entries for the registry go out.

import type { JobCall } from '@eventmq-ts/emqp'
import { WorkerError } from '../worker-error.ts'
import { jobName, type RegisteredJob } from './registered-job.ts'

type AnyFunction = (...values: unknown[]) => unknown
type AnyClass = new (...values: unknown[]) => object

/**
 * The jobs that a module's functions and classes make: each exported function as `path` and its name, each method of an
 * exported class as `path:Class` and the method's name. Inherited methods count, those of Object and `#private` ones do
 * not.
 */
export function callablesOf(path: string, source: string, exports: Readonly<Record<string, unknown>>): RegisteredJob[] {
  return Object.entries(exports).flatMap(([name, value]) => {
    if (isClass(value)) return methodsOf(`${path}:${name}`, source, value)
    if (isFunction(value)) return [functionJob(path, name, source, value)]
    return []
  })
}

function functionJob(path: string, callable: string, source: string, run: AnyFunction): RegisteredJob {
  return {
    path,
    callable,
    source,
    async perform(call) {
      if (call.classArgs.length > 0 || Object.keys(call.classKwargs).length > 0) {
        const message = `${jobName(call)} is a function, and the call has class arguments; send none`
        throw new WorkerError('WORKER_ARGUMENTS', message)
      }
      return run(...inOrder(call.args, call.kwargs))
    },
  }
}

function methodsOf(path: string, source: string, owner: AnyClass): RegisteredJob[] {
  return methodNames(owner).map((callable) => ({
    path,
    callable,
    source,
    async perform(call: JobCall) {
      const instance = new owner(...inOrder(call.classArgs, call.classKwargs))
      const method = Reflect.get(instance, callable)
      if (!isFunction(method))
        throw new WorkerError('WORKER_ARGUMENTS', `${jobName(call)} is no method of this instance`)
      return method.apply(instance, inOrder(call.args, call.kwargs))
    },
  }))
}

/** The names of a class's methods, found without running any of its code: getters are not looked into. */
function methodNames(owner: AnyClass): string[] {
  const names = new Set<string>()
  let prototype: unknown = owner.prototype
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name !== 'constructor' && isFunction(property.value)) names.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return [...names]
}

function inOrder(args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown[] {
  return Object.keys(kwargs).length === 0 ? [...args] : [...args, kwargs]
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

// The language offers no other test; a constructor in the old style is taken for a function.
function isClass(value: unknown): value is AnyClass {
  return isFunction(value) && /^class\b/.test(Function.prototype.toString.call(value))
}
