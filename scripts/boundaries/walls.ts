// The rules that look at one import at a time: may this file name that thing? In: the resolved tree and the table of
// rules. Out: violations, in the order of files and lines.

import type { PackageRule, Rules } from './rules.ts'
import { type Edge, type ImportGraph, isInside, packageOf } from './tree.ts'
import type { Rule, Violation } from './violation.ts'

type Judge = (edge: Edge, graph: ImportGraph, rules: Rules) => Omit<Violation, 'file' | 'line'> | undefined

const TABLE = 'scripts/boundaries/rules.ts'

/** All violations that a single import shows. */
export function findBrokenWalls(graph: ImportGraph, rules: Rules): Violation[] {
  return [...graph.edges.values()].flat().flatMap((edge) =>
    judges.flatMap((judge) => {
      const found = judge(edge, graph, rules)
      return found === undefined ? [] : [{ file: edge.from, line: edge.line, ...found }]
    }),
  )
}

const missingFile: Judge = ({ specifier, target }) =>
  target.kind !== 'missing file'
    ? undefined
    : fault('missing file', `"${specifier}" is no file`, 'name an existing file with its ending, `./name.ts`')

const packageWall: Judge = ({ from, target }, { packages }, rules) => {
  const owner = packageOf(from, packages)
  if (owner === undefined || target.kind !== 'package' || target.package === owner) return undefined
  const rule = ruleFor(owner.folder, rules)
  if (rule === undefined || rule.packages.includes(target.package.folder)) return undefined
  return fault(
    'package',
    `${owner.folder} may not import ${target.package.folder}`,
    `${owner.folder} may import: ${list(rule.packages)}. Take what you need as a parameter, or move it to one of these`,
  )
}

const ownName: Judge = ({ from, target }, { packages }) => {
  const owner = packageOf(from, packages)
  if (owner === undefined || target.kind !== 'package' || target.package !== owner) return undefined
  return fault('deep import', `${owner.folder} imports itself by name`, 'import the file itself by a relative path')
}

const deepImport: Judge = ({ from, specifier, target }, { packages }) => {
  if (target.kind === 'package' && target.entry === undefined) {
    return fault(
      'deep import',
      `"${specifier}" is not in the exports map of ${target.package.manifest.name}`,
      `use one of: ${list(Object.keys(target.package.manifest.exports))}, or add an entry to ${target.package.path}/package.json`,
    )
  }
  const owner = packageOf(from, packages)
  if (owner === undefined || target.kind !== 'file' || isInside(target.path, `${owner.path}/src`)) return undefined
  return fault(
    'deep import',
    `"${specifier}" leaves ${owner.path}/src`,
    'import other packages by their name, and nothing that is not published',
  )
}

const library: Judge = ({ from, target }, { packages }, rules) => {
  const owner = packageOf(from, packages)
  if (owner === undefined || target.kind !== 'library') return undefined
  const rule = ruleFor(owner.folder, rules)
  if (rule === undefined || Object.hasOwn(rule.libraries, target.name)) return undefined
  return fault(
    'library',
    `${owner.folder} may not import ${target.name}`,
    `${owner.folder} may import: ${list(Object.keys(rule.libraries))}. A new library goes into ${TABLE} with its reason`,
  )
}

const undeclared: Judge = ({ from, target }, { packages, devDependencies }) => {
  const owner = packageOf(from, packages)
  const name = dependencyName(target)
  if (name === undefined || name === owner?.manifest.name) return undefined
  if (owner !== undefined) {
    if (Object.hasOwn(owner.manifest.dependencies, name)) return undefined
    return fault('undeclared', `${name} is not a dependency of ${owner.folder}`, `add it to ${owner.path}/package.json`)
  }
  if (target.kind === 'package' || Object.hasOwn(devDependencies, name)) return undefined
  return fault('undeclared', `${name} is not a devDependency`, `npm install --save-dev --save-exact ${name}`)
}

const peer: Judge = ({ from, target }, _graph, rules) => {
  if (target.kind !== 'library') return undefined
  const places = rules.peers[target.name]
  if (places === undefined || places.some((place) => isInside(from, place))) return undefined
  return fault('peer', `${target.name} is only a live peer for tests`, `import it under ${list(places)} alone`)
}

const outsider: Judge = ({ from, specifier, target }, _graph, rules) => {
  const place = rules.outsiders.find((candidate) => isInside(from, candidate))
  if (place === undefined || target.kind !== 'file' || isInside(target.path, place)) return undefined
  return fault('outsider', `"${specifier}" leaves ${place}/`, 'import packages by name, as a user has to')
}

const layer: Judge = ({ from, target }, { packages }, rules) => {
  const wall = innermost(from, rules.layers)
  if (wall === undefined || target.kind !== 'file' || isInside(target.path, wall.inside)) return undefined
  if (packageOf(target.path, packages) !== packageOf(from, packages)) return undefined
  if (wall.may.some((place) => isInside(target.path, place))) return undefined
  return fault(
    'layer',
    `${wall.inside} may not import ${target.path}`,
    `of its package it may import: itself, ${list(wall.may)}`,
  )
}

const core: Judge = ({ from, specifier, target }, _graph, rules) => {
  const place = rules.cores.find((candidate) => isInside(from, candidate))
  if (place === undefined || target.kind !== 'node') return undefined
  return fault(
    'core',
    `${place} does no I/O and may not import ${specifier}`,
    'let the shell do it, and hand the result in as a value or a function',
  )
}

const judges: readonly Judge[] = [
  missingFile,
  packageWall,
  ownName,
  deepImport,
  library,
  undeclared,
  peer,
  outsider,
  layer,
  core,
]

function fault(rule: Rule, problem: string, remedy: string): Omit<Violation, 'file' | 'line'> {
  return { rule, problem, remedy }
}

function ruleFor(folder: string, rules: Rules): PackageRule | undefined {
  return rules.packages[folder]
}

function dependencyName(target: Edge['target']): string | undefined {
  if (target.kind === 'library') return target.name
  if (target.kind === 'package') return target.package.manifest.name
  return undefined
}

function innermost(path: string, layers: Rules['layers']): Rules['layers'][number] | undefined {
  return layers.filter(({ inside }) => isInside(path, inside)).toSorted((a, b) => b.inside.length - a.inside.length)[0]
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ')
}
