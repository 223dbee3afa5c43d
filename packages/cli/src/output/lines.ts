import { shownMessage } from '@murmuration/core'
import type { Output, RunEvent } from '@murmuration/experiment'
import { lineOf } from './texts.js'

/** One of so many reports of a peer is printed. */
const thinning = 20

/** Plain lines for pipes. */
export function lineOutput(stream: NodeJS.WritableStream): Output {
  return outputTo((event) => stream.write(`${shownMessage(lineOf(event))}\n`))
}

/** Plain lines for the log of a peer, which runs for days: each with its time in UTC and its level. */
export function logOutput(stream: NodeJS.WritableStream, now: () => Date): Output {
  return outputTo((event) => {
    const lines = shownMessage(lineOf(event)).split('\n')
    const head = `${now().toISOString()} ${isWarning(event) ? 'warn' : 'info'}`
    for (const line of lines) if (line !== '') stream.write(`${head} ${line}\n`)
  })
}

/** States of neighbours and of the swarm in which all is well, or not yet. */
const calm: readonly string[] = ['connecting', 'ready', 'left', 'starting', 'healthy']

/** Whether an event tells of something that is not as it should be. */
function isWarning(event: RunEvent): boolean {
  if (event.kind === 'neighbour' || event.kind === 'membership') return !calm.includes(event.state)
  if (event.kind === 'summary') return event.learnedNothing !== undefined
  if (event.kind === 'epoch') return event.lost.length > 0
  return event.kind === 'lost' || event.kind === 'outlier'
}

function outputTo(write: (event: RunEvent) => void): Output {
  const steps = new Map<string, { readonly seen: number; readonly missing: string }>()
  const isPrinted = (event: RunEvent): boolean => {
    if (event.kind !== 'step') return true
    const last = steps.get(event.peer) ?? { seen: 0, missing: '' }
    const seen = last.seen + 1
    const missing = event.missing.join()
    steps.set(event.peer, { seen, missing })
    return seen % thinning === 1 || missing !== last.missing || event.ends !== undefined
  }
  return {
    event: (event) => {
      if (isPrinted(event)) write(event)
    },
    end: () => {}
  }
}
