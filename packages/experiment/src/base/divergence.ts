import { DivergedError, type Task } from '@murmuration/core'

/**
 * An error of training; where it has diverged on a table whose columns have large values, with their names and what to
 * do.
 */
export function withLargeColumns(error: unknown, { about: { unscaled } }: Pick<Task, 'about'>): unknown {
  if (!(error instanceof DivergedError) || unscaled === undefined) return error
  return new DivergedError(`${error.message}; ${unscaled}`, { cause: error })
}
