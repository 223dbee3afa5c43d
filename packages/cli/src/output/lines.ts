import { shownMessage } from '@murmuration/core'
import type { Output, RunEvent } from '@murmuration/experiment'
import { lineOf } from './texts.js'

/** One of so many reports of a peer is printed. */
const thinning = 20

/** Plain lines for logs and pipes. */
export function lineOutput(stream: NodeJS.WritableStream): Output {
  const steps = new Map<string, { readonly seen: number; readonly missing: string }>()
  const isPrinted = (event: RunEvent): boolean => {
    if (event.kind !== 'step') return true
    const last = steps.get(event.peer) ?? { seen: 0, missing: '' }
    const [seen, missing] = [last.seen + 1, event.missing.join()]
    steps.set(event.peer, { seen, missing })
    return seen % thinning === 1 || missing !== last.missing
  }
  return {
    event: (event) => {
      if (isPrinted(event)) stream.write(`${shownMessage(lineOf(event))}\n`)
    },
    end: () => {}
  }
}
