/** The errors of simulations whose clock will never advance. */
import type { Milliseconds } from '@murmuration/core'
import type { KernelProgram } from './program.js'

/**
 * No events are left and programs still wait, so that nothing can ever wake them; or one is woken again and again at
 * one time.
 */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
}

/** How many waiting programs the error of a deadlock names. */
const maxNamed = 20

/** The error where no event is left, and `waiting` programs are. */
export function deadlock(now: Milliseconds, waiting: readonly KernelProgram[]): DeadlockError {
  const named = waiting
    .slice(0, maxNamed)
    .map(
      ({ peer, gate, waitingFor }) =>
        `  ${peer}${gate.isShut ? ' is frozen, and' : ''} waits for ${textOf(waitingFor ?? 'nothing that is known')}`
    )
  if (waiting.length > maxNamed) named.push(`  and ${waiting.length - maxNamed} more`)
  return new DeadlockError(`no event is left at ${now} ms, and ${waiting.length} programs wait:\n${named.join('\n')}`)
}

/** The error where so many deadlines have passed at one time, the last of `program`, and nothing else has happened. */
export function standstill(now: Milliseconds, deadlines: number, { peer }: KernelProgram): DeadlockError {
  return new DeadlockError(
    `${deadlines} deadlines at ${now} ms, and the clock does not advance: the program of ${peer} waits in a loop for a time that has passed`
  )
}

/** What a program waits for. */
export function textOf(what: string | (() => string)): string {
  return typeof what === 'string' ? what : what()
}
