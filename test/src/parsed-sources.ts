import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A file and what it imports, also in expressions and for types alone. */
export interface SourceModule {
  readonly source: string
  readonly dependencies: readonly {
    /** As it is written. */
    readonly module: string
    readonly resolved: string
    /** Whether it is imported in an expression. */
    readonly dynamic: boolean
    readonly coreModule: boolean
  }[]
}

/** A class, an interface, an alias or an enumeration. */
export interface DeclaredType {
  readonly file: string
  readonly name: string
  /** Of a class: how many members it has, fields and private ones too. */
  readonly members?: number
}

export interface ParsedSources {
  readonly modules: readonly SourceModule[]
  /** Files that import themselves through others. */
  readonly circles: readonly string[]
  readonly types: readonly DeclaredType[]
}

/** What all sources of the repository import and declare. */
export function parsedSources(): ParsedSources {
  const program = fileURLToPath(new URL('./parse-sources.js', import.meta.url))
  const text = execFileSync(process.execPath, [program], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  return JSON.parse(text) as ParsedSources
}
