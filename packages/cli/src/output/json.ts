import type { Output } from '@murmuration/experiment'

/** One JSON object per line. */
export function jsonOutput(stream: NodeJS.WritableStream): Output {
  return {
    event: (event) => void stream.write(`${JSON.stringify(event)}\n`),
    end: () => {}
  }
}
