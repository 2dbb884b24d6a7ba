// Reads the imports of TypeScript and JavaScript files with TypeScript's own parser. In: paths and texts. Out: every module that a
// file names: import, export from, import type, import() with a literal, and import('...') in a type.
//
// TypeScript 7 offers its parser under `typescript/unstable/`; the version is pinned, and the tests of this checker
// fail if an update changes it.

import {
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** One mention of a module in a file. */
export interface Import {
  /** As written, e.g. `./frame.ts` or `@eventmq-ts/emqp`. */
  readonly specifier: string
  /** From 1. */
  readonly line: number
  /** Erased when the file runs. `import { type A } from` is not: the module is still loaded. */
  readonly typeOnly: boolean
}

// The parser sees a made-up project under this folder, so that no tsconfig.json of the disk matters.
const FOLDER = '/boundaries/'
const PROJECT = `${FOLDER}tsconfig.json`
const COMPILER_OPTIONS = {
  allowJs: true,
  noResolve: true,
  noLib: true,
  types: [],
  module: 'nodenext',
  allowImportingTsExtensions: true,
}

/** The imports of each file, in the order of the text. Keys are those of `texts`: paths from the root, with slashes. */
export function readImports(texts: ReadonlyMap<string, string>): Map<string, readonly Import[]> {
  const files = new Map([...texts].map(([path, text]) => [FOLDER + path, text]))
  files.set(PROJECT, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [...files.keys()] }))
  const api = new API({
    cwd: FOLDER,
    fs: {
      readFile: (path) => files.get(path) ?? null,
      fileExists: (path) => files.has(path),
    },
  })
  try {
    const project = api.updateSnapshot({ openProjects: [PROJECT] }).getProject(PROJECT)
    if (project === undefined) throw new Error('TypeScript did not open the project of the boundaries check')
    return new Map([...texts.keys()].map((path) => [path, importsOf(project.program, path)]))
  } finally {
    api.close()
  }
}

type Program = NonNullable<ReturnType<ReturnType<API['updateSnapshot']>['getProject']>>['program']

function importsOf(program: Program, path: string): readonly Import[] {
  const source = program.getSourceFile(FOLDER + path)
  if (source === undefined) throw new Error(`TypeScript did not parse ${path}`)
  return source.imports
    .filter((node) => isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node))
    .map((literal) => ({
      specifier: literal.text,
      line: source.getLineAndCharacterOfPosition(literal.getStart(source)).line + 1,
      typeOnly: isErased(literal.parent),
    }))
    .sort((a, b) => a.line - b.line)
}

function isErased(importer: Node): boolean {
  if (isImportDeclaration(importer)) return importer.importClause?.phaseModifier === SyntaxKind.TypeKeyword
  if (isExportDeclaration(importer)) return importer.isTypeOnly
  return isImportTypeNode(importer.parent) || isImportTypeNode(importer)
}
