import type { Output } from '../events.js'

/** One JSON object per line. */
export function jsonOutput(stream: NodeJS.WritableStream): Output {
  return {
    event: (event) => void stream.write(`${JSON.stringify(event)}\n`),
    end: () => {}
  }
}
