/** Questions without words: whoever opens a stream of the protocol gets one answer, as JSON. */
import type { Connection, Stream } from '@libp2p/interface'
import { lpStream } from '@libp2p/utils'
import type { Milliseconds } from '@murmuration/core'
import { fromString } from 'uint8arrays/from-string'
import { toString as textOf } from 'uint8arrays/to-string'
import { controlBytes } from './constants.js'

/** Answers one question, and closes the stream. */
export async function answer(stream: Stream, value: unknown, timeout: Milliseconds): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  try {
    await lpStream(stream).write(fromString(JSON.stringify(value), 'utf8'), { signal })
    await stream.close({ signal })
  } catch (error) {
    stream.abort(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Asks, and has `take` read the answer. Rejects when there is none in time, or when `take` throws. */
export async function ask(
  connection: Connection,
  protocol: string,
  timeout: Milliseconds,
  take: (answer: unknown) => void
): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  const stream = await connection.newStream(protocol, { signal })
  try {
    const bytes = await lpStream(stream, { maxDataLength: controlBytes }).read({ signal })
    take(JSON.parse(textOf(bytes.subarray(), 'utf8')))
    await stream.close({ signal })
  } catch (error) {
    stream.abort(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}
