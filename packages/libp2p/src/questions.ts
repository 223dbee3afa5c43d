/** One question, one answer, both as JSON, on a stream of their own; some questions have no words. */
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
    await lpStream(stream).write(encode(value), { signal })
    await stream.close({ signal })
  } catch (error) {
    stream.abort(errorOf(error))
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
    take(decode(await lpStream(stream, { maxDataLength: controlBytes }).read({ signal })))
    await stream.close({ signal })
  } catch (error) {
    stream.abort(errorOf(error))
    throw error
  }
}

/** As `ask`, with a question; resolves with the answer, of at most `maxBytes`. */
export async function askWith(
  connection: Connection,
  protocol: string,
  question: unknown,
  timeout: Milliseconds,
  maxBytes: number
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout)
  const stream = await connection.newStream(protocol, { signal })
  try {
    const bytes = lpStream(stream, { maxDataLength: maxBytes })
    await bytes.write(encode(question), { signal })
    const answer = decode(await bytes.read({ signal }))
    await stream.close({ signal })
    return answer
  } catch (error) {
    stream.abort(errorOf(error))
    throw error
  }
}

/** Reads a question of at most `maxBytes`, and writes what `respond` makes of it. Where that throws, the stream ends without an answer. */
export async function reply(
  stream: Stream,
  timeout: Milliseconds,
  maxBytes: number,
  respond: (question: unknown) => unknown
): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  try {
    const bytes = lpStream(stream, { maxDataLength: maxBytes })
    const answer = await respond(decode(await bytes.read({ signal })))
    await bytes.write(encode(answer), { signal })
    await stream.close({ signal })
  } catch (error) {
    stream.abort(errorOf(error))
  }
}

const encode = (value: unknown) => fromString(JSON.stringify(value), 'utf8')
const decode = (bytes: { subarray(): Uint8Array }): unknown => JSON.parse(textOf(bytes.subarray(), 'utf8'))
const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
