import type { Output, RunEvent } from '../events.js'
import { lineOf } from './texts.js'

/** Every how many reports of a peer a line is printed. */
const thinning = 20

/** Plain lines for logs and pipes. */
export function lineOutput(stream: NodeJS.WritableStream): Output {
  const steps = new Map<string, number>()
  const wanted = (event: RunEvent): boolean => {
    if (event.kind !== 'step') return true
    const seen = (steps.get(event.peer) ?? 0) + 1
    steps.set(event.peer, seen)
    return seen % thinning === 1 || event.missing.length > 0
  }
  return {
    event: (event) => {
      if (wanted(event)) stream.write(`${lineOf(event)}\n`)
    },
    end: () => {}
  }
}
