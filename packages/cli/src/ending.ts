/** How the command ends: by a signal, or with an error and its exit code. */
import { messageOf, shownMessage, StoppedError } from '@murmuration/core/base'
import type { ErrorEvent } from '@murmuration/experiment'
import { CommanderError } from 'commander'
import { exitCodes, exitNameOf } from './exit-codes.js'

/**
 * The first Ctrl-C stops in good order, the second at once; so do signals, also that of a terminal that is closed. The
 * run also stops when the reader of the output closes it.
 */
export function stopOnSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // That of bin/murmur.js.
    if (process.pid === 1) process.removeAllListeners(signal)
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted.code)
      controller.abort(new StoppedError('stopped by a signal'))
    })
  }
  process.stdout.on('error', ({ message }) =>
    controller.abort(new StoppedError(`the reader closed the output: ${message}`))
  )
  return controller.signal
}

/**
 * Ends the process of a command that is over, once its output is written, and not only when nothing is open any more: a
 * name lookup cannot be cancelled, and where no name server answers, those of absent peers take tens of seconds, one
 * after the other.
 */
export async function exitNow(): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((done) => stream.write('', () => done()))
  process.exit()
}

/** Exit codes for the help. */
export function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join('\n')
}

const excessText = 'A training file goes after --train, as in "murmur swarm topology.yaml --train train.yaml".'

/** Reports an error to people and programs. Returns the exit code. */
export function codeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.excessArguments') process.stderr.write(`${excessText}\n`)
    return error.exitCode === 0 ? 0 : endWith(error, exitCodes.input.code)
  }
  const name = exitNameOf(error)
  const label = name === 'failure' && error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
  process.stderr.write(`murmur: ${shownMessage(label)}\n`)
  return endWith(error, exitCodes[name].code)
}

/** With `--json`, the last line of the output also says what went wrong, not only standard error. */
function endWith(error: unknown, code: number): number {
  const event: ErrorEvent = {
    kind: 'error',
    code,
    name: error instanceof Error ? error.name : 'Error',
    message: shownMessage(messageOf(error))
  }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(event)}\n`)
  return code
}
