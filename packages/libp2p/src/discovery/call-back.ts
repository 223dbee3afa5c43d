/**
 * The protocol by which a peer asks a seed to test whether the peer can be dialled: one question, one call, one answer.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { isIPv4, type Milliseconds } from '@murmuration/core'
import * as z from 'zod'
import { multiaddr } from '#platform/libraries/base.js'
import { tcpHost } from '../addresses/channel-address.js'
import { answer, ask } from '../questions/questions.js'
import { sourceOf } from '../addresses/reach.js'

export const callBackProtocol = '/murmuration/call-back/1'

/** The timeout of a call. */
const callFor: Milliseconds = 4_000

/** The most calls at once, and of them for askers of one source. */
const maxCalls = 8
const maxCallsOfSource = 2

const questionSchema = z.object({ port: z.number().int().min(1).max(65_535) })
const answerSchema = z.object({ host: z.string().max(64), isReached: z.boolean() })

/**
 * The result of a call: the IP address from which the seed was asked, and whether the seed has reached the asker there.
 */
export type CallBack = z.infer<typeof answerSchema>

/** Calls the asker, only at the IP address from which it asks and by its peer id, and reports whether it answers. */
export class CallsBack {
  readonly #node: Libp2p
  /** The sources of the askers that are called now. */
  readonly #calls: string[] = []

  constructor(node: Libp2p) {
    this.#node = node
  }

  /** Serves one question. */
  async serve(stream: Stream, connection: Connection, timeout: Milliseconds): Promise<void> {
    const host = tcpHost(connection.remoteAddr)
    const source = sourceOf(connection.remoteAddr)
    if (host === undefined || !this.#hasRoom(source)) return stream.abort(new Error('too many calls at once'))
    this.#calls.push(source)
    try {
      await answer(stream, { timeout, maxQuestion: 256 }, async (question) => {
        const { port } = questionSchema.parse(question)
        return { host, isReached: await this.#isReached(host, port, connection) } satisfies CallBack
      })
    } finally {
      this.#calls.splice(this.#calls.indexOf(source), 1)
    }
  }

  #hasRoom(source: string): boolean {
    const ofSource = this.#calls.filter((each) => each === source)
    return this.#calls.length < maxCalls && ofSource.length < maxCallsOfSource
  }

  async #isReached(host: string, port: number, { remotePeer }: Connection): Promise<boolean> {
    const address = multiaddr(`/${isIPv4(host) ? 'ip4' : 'ip6'}/${host}/tcp/${port}/p2p/${remotePeer.toString()}`)
    try {
      const connection = await this.#node.dial(address, { force: true, signal: AbortSignal.timeout(callFor) })
      await connection.close()
      return true
    } catch {
      return false
    }
  }
}

/** Asks a seed to call this node at a port. */
export async function askForCall(connection: Connection, port: number, timeout: Milliseconds): Promise<CallBack> {
  const response = await ask(connection, callBackProtocol, { question: { port }, timeout, maxAnswer: 1024 })
  return answerSchema.parse(response)
}
