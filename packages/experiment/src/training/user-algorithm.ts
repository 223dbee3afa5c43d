/** A user's own algorithm: a module that exports one. */
import { algorithmIn, type AnyAlgorithm, type AnyRole } from '@murmuration/algorithms'
import { EpochOverError, InputError, messageOf } from '@murmuration/core'
import { blame, placeOf } from '@murmuration/tasks/peer'
import { importFile } from '#platform'
import { failureKindOf } from '../base/errors.js'

/**
 * Loads the algorithm of a module. Errors of its functions name the module. Throws an InputError when the module cannot
 * be loaded, or does not export exactly one algorithm.
 */
export async function importAlgorithm(path: string): Promise<AnyAlgorithm> {
  const exported = await importFile(path).catch((error: unknown) => {
    throw new InputError(`cannot load the algorithm's module ${placeOf(path, error)}: ${messageOf(error)}`)
  })
  const record = algorithmIn(exported, path)
  if (record.kind === 'rows') return { ...record, module: path }
  const { server } = record
  return {
    ...record,
    module: path,
    ...guarded(path, record),
    ...(server === undefined ? {} : { server: guarded(path, server) })
  }
}

/** The functions of a role, with errors that name the module. */
function guarded(path: string, { start, round, model, answers }: AnyRole): AnyRole {
  const guard = <Args extends readonly unknown[], Result>(what: string, act: (...args: Args) => Result) => {
    const fail = (error: unknown): never => {
      // An error that Murmuration throws through an algorithm is not the algorithm's.
      const isOurs = failureKindOf(error) !== undefined || error instanceof EpochOverError
      throw isOurs ? error : blame(path, what, error, 'algorithm')
    }
    return (...args: Args): Result => {
      try {
        const result = act(...args)
        return result instanceof Promise ? (result.catch(fail) as Result) : result
      } catch (error) {
        return fail(error)
      }
    }
  }
  const replies = Object.entries(answers ?? {}).map(([name, answer]) => [name, guard(name, answer)] as const)
  return {
    start: guard('start', start),
    ...(round === undefined ? {} : { round: guard('round', round) }),
    ...(model === undefined ? {} : { model: guard('model', model) }),
    ...(answers === undefined ? {} : { answers: Object.fromEntries(replies) })
  }
}
