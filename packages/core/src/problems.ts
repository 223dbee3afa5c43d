import { InputError } from './errors.js'

/** The position of something within a value: the keys and indices that lead there. */
export type Path = readonly PropertyKey[]

/** Something wrong in a value that a user gave. */
export interface Problem {
  readonly path: Path
  /** What was found and what is expected. */
  readonly message: string
  /** 'key' when the last key of `path` is itself what is wrong, not its value. */
  readonly at?: 'key'
}

/**
 * A problem at `path`.
 *
 * @example
 * ```js
 * problem(['rate'], 'found -1') // → { path: ['rate'], message: 'found -1' }
 * ```
 */
export function problem(path: Path, message: string): Problem {
  return { path, message }
}

/**
 * The same problems, of a value that lies at `path` within a larger one.
 *
 * @example
 * ```js
 * within(['links'], [problem(['loss'], 'found 2')]) // → [{ path: ['links', 'loss'], message: 'found 2' }]
 * ```
 */
export function within(path: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }))
}

/** Throws an {@link InputError} that lists all problems, one per line, if there are any. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new InputError(problems.map(lineOf).join('\n'))
}

function lineOf({ path, message }: Problem): string {
  return path.length > 0 ? `${pathText(path)}: ${message}` : message
}

/**
 * A path as one writes it.
 *
 * @example
 * ```js
 * pathText(['links', 'pairs', 0, 'between']) // → 'links.pairs[0].between'
 * ```
 */
export function pathText(path: Path): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index > 0 ? `.${String(key)}` : String(key)))
    .join('')
}
