/** One question and one answer, both as JSON, per stream; some questions are empty. */
import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { fromString, lpStream, textOf } from '#platform/libraries/base.js'
import { controlBytes } from '../base/constants.js'

export interface Asking {
  /** Absent when the protocol alone is the question. */
  readonly question?: unknown
  readonly timeout: Milliseconds
  /** The most bytes of the answer. */
  readonly maxAnswer?: number
}

/** Asks, and resolves with the answer. Rejects when none arrives in time. */
export async function ask(
  connection: Connection,
  protocol: string,
  { question, timeout, maxAnswer = controlBytes }: Asking
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout)
  const stream = await connection.newStream(protocol, { signal, runOnLimitedConnection: true })
  try {
    const bytes = lpStream(stream, { maxDataLength: maxAnswer })
    if (question !== undefined) await bytes.write(encode(question), { signal })
    const answer = decode(await bytes.read({ signal }))
    await stream.close({ signal })
    return answer
  } catch (error) {
    stream.abort(errorOf(error))
    throw error
  }
}

export interface Answering {
  readonly timeout: Milliseconds
  /** The most bytes of the question; absent for an empty question. */
  readonly maxQuestion?: number
}

/**
 * Answers one question with the result of `respond`, and closes the stream. When `respond` throws, the stream ends
 * without an answer.
 */
export async function answer(
  stream: Stream,
  { timeout, maxQuestion }: Answering,
  respond: (question: unknown) => unknown
): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  try {
    const bytes = lpStream(stream, { maxDataLength: maxQuestion ?? 0 })
    const question = maxQuestion === undefined ? undefined : decode(await bytes.read({ signal }))
    await bytes.write(encode(await respond(question)), { signal })
    await stream.close({ signal })
  } catch (error) {
    stream.abort(errorOf(error))
  }
}

const encode = (value: unknown) => fromString(JSON.stringify(value), 'utf8')
const decode = (bytes: { subarray(): Uint8Array }): unknown => JSON.parse(textOf(bytes.subarray(), 'utf8'))
const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
