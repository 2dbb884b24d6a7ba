// The rules that need the whole tree: cycles between files, cores that reach I/O through others, dependencies that
// nobody imports, packages without a rule. In: the resolved tree and the table of rules. Out: violations.

import type { Rules } from './rules.ts'
import { type Edge, fileBehind, type ImportGraph, isInside, packageOf } from './tree.ts'
import type { Violation } from './violation.ts'

/** All violations that only the whole tree shows. */
export function findBrokenWholes(graph: ImportGraph, rules: Rules): Violation[] {
  return [...cycles(graph), ...reachedIo(graph, rules), ...unusedDependencies(graph), ...missingRules(graph, rules)]
}

function cycles(graph: ImportGraph): Violation[] {
  const found: Violation[] = []
  const done = new Set<string>()
  for (const start of graph.edges.keys()) {
    if (done.has(start)) continue
    const path = shortestPath(
      graph,
      start,
      (file) => file === start,
      () => true,
    )
    const first = path?.[0]
    if (path === undefined || first === undefined) continue
    for (const edge of path) done.add(edge.from)
    found.push({
      file: start,
      line: first.line,
      rule: 'cycle',
      problem: `these files import each other: ${chain(path)}`,
      remedy: 'move what both need into a file of its own that imports neither',
    })
  }
  return found
}

/** Cores that load a `node:` module through a file that is no core itself; direct imports are a wall of their own. */
function reachedIo(graph: ImportGraph, rules: Rules): Violation[] {
  const isCore = (file: string) => rules.cores.some((place) => isInside(file, place))
  const loadsNode = (file: string) => edgesOf(graph, file).some((edge) => edge.target.kind === 'node' && !edge.typeOnly)
  return [...graph.edges.keys()].filter(isCore).flatMap((file) => {
    const path = shortestPath(
      graph,
      file,
      (reached) => !isCore(reached) && loadsNode(reached),
      ({ typeOnly }) => !typeOnly,
    )
    const first = path?.[0]
    const last = path?.at(-1)
    // The core file next to the offender reports it; those further away would only repeat it.
    if (
      path === undefined ||
      first === undefined ||
      last === undefined ||
      path.slice(1).some(({ from }) => isCore(from))
    )
      return []
    return [
      {
        file,
        line: first.line,
        rule: 'core' as const,
        problem: `does no I/O, yet loads a node: module through ${chain(path)}`,
        remedy: 'import only types from there, or split the part without I/O off',
      },
    ]
  })
}

function unusedDependencies(graph: ImportGraph): Violation[] {
  return graph.packages.flatMap((owner) => {
    const used = new Set(
      [...graph.edges.values()]
        .flat()
        .filter(({ from }) => packageOf(from, graph.packages) === owner)
        .map(({ target }) => {
          if (target.kind === 'package') return target.package.manifest.name
          return target.kind === 'library' ? target.name : undefined
        }),
    )
    return Object.keys(owner.manifest.dependencies)
      .filter((name) => !used.has(name))
      .map((name) => ({
        file: `${owner.path}/package.json`,
        line: 1,
        rule: 'unused' as const,
        problem: `${name} is a dependency that no file of ${owner.path}/src imports`,
        remedy: 'remove it from the dependencies, and from the references in tsconfig.json',
      }))
  })
}

function missingRules({ packages }: ImportGraph, rules: Rules): Violation[] {
  return packages
    .filter(({ folder }) => !Object.hasOwn(rules.packages, folder))
    .map(({ path, folder }) => ({
      file: `${path}/package.json`,
      line: 1,
      rule: 'no rule' as const,
      problem: `nothing says what ${folder} may import`,
      remedy: 'add it to scripts/boundaries/rules.ts and to docs/architecture.md',
    }))
}

/** The shortest way of at least one import from `start` to a file that `isGoal` accepts, over the edges that `follow`. */
function shortestPath(
  graph: ImportGraph,
  start: string,
  isGoal: (file: string) => boolean,
  follow: (edge: Edge) => boolean,
): readonly Edge[] | undefined {
  const arrivedBy = new Map<string, Edge>()
  const waiting = [start]
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    for (const edge of edgesOf(graph, file)) {
      const next = fileBehind(edge.target)
      if (next === undefined || !follow(edge) || arrivedBy.has(next)) continue
      arrivedBy.set(next, edge)
      if (isGoal(next)) return wayBack(arrivedBy, start, next)
      waiting.push(next)
    }
  }
  return undefined
}

function wayBack(arrivedBy: ReadonlyMap<string, Edge>, start: string, goal: string): readonly Edge[] {
  const path: Edge[] = []
  for (let edge = arrivedBy.get(goal); edge !== undefined; edge = arrivedBy.get(edge.from)) {
    path.unshift(edge)
    if (edge.from === start) break
  }
  return path
}

function edgesOf(graph: ImportGraph, file: string): readonly Edge[] {
  return graph.edges.get(file) ?? []
}

function chain(path: readonly Edge[]): string {
  return [path[0]?.from, ...path.map(({ target }) => fileBehind(target))].join(' -> ')
}
