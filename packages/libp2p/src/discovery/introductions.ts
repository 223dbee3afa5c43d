/**
 * The protocol by which peers learn each other's addresses. The question has the asker's own signed addresses and the
 * ids that it looks for; the answer has the signed addresses of these peers. One question and one answer per stream.
 */
import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import * as z from 'zod'
import { textOf } from '#platform/libraries/base.js'
import { fromBase64 } from '../base/bytes.js'
import { tcpHost } from '../addresses/channel-address.js'
import { answer, ask } from '../questions/questions.js'
import type { TimerClock } from '../base/clock.js'
import type { AddressBook } from './address-book.js'
import { maxRecordBytes, readAddresses, type SignedAddresses } from '../addresses/signed-addresses.js'

export const introductionsProtocol = '/murmuration/introductions/1'

/** The most peers that one question asks for. */
export const maxWanted = 64

/** The most bytes of a question, and of an answer. */
const maxQuestion = 16 << 10
const maxAnswer = 256 << 10

const record = z
  .base64()
  .max(4 * Math.ceil(maxRecordBytes / 3))
  .transform((text) => fromBase64(text, 'base64pad') ?? new Uint8Array())
const peerId = z.string().min(32).max(64)

const questionSchema = z.object({
  /** A name of the run that only its peers know. */
  run: z.string().min(16).max(128),
  /** The asker's own addresses, as it signs them. */
  record,
  /** The peer ids that the asker looks for. */
  wanted: z.array(peerId).max(maxWanted)
})
const answerSchema = z.object({
  /** The IP address from which the question came. */
  seen: z.string().max(64),
  records: z.array(record).max(maxWanted)
})

/**
 * Answers a question from an address book, and adds the asker to the book. A malformed question, and one with another
 * peer's record, is not answered.
 *
 * @param source - of the asker's record, see {@link AddressBook.keep}
 */
export function introduce(
  book: AddressBook,
  stream: Stream,
  { remotePeer, remoteAddr }: Connection,
  { source, timeout }: { readonly source: string; readonly timeout: Milliseconds }
): Promise<void> {
  // For a relayed connection, `remoteAddr` is not an address of the asker.
  const seen = tcpHost(remoteAddr) ?? ''
  return answer(stream, { timeout, maxQuestion }, async (question) => {
    const { run, record, wanted } = questionSchema.parse(question)
    const asker = await readAddresses(record)
    if (asker?.id !== remotePeer.toString()) throw new Error('the record belongs to another peer')
    book.keep(run, asker, source)
    const records = wanted.flatMap((id) => book.find(run, id) ?? [])
    return { seen, records: records.map(({ bytes }) => textOf(bytes, 'base64pad')) }
  })
}

/** A checked answer. */
export interface Introductions {
  /** The IP address of this peer as the answerer sees it; empty when unknown. */
  readonly seen: string
  /** Only those of the wanted peers. */
  readonly records: readonly SignedAddresses[]
}

/**
 * Asks for the addresses of at most {@link maxWanted} peers. Records of other peers, and without a valid signature, are
 * left out.
 */
export async function askForAddresses(
  connection: Connection,
  question: { readonly run: string; readonly record: Uint8Array; readonly wanted: readonly string[] },
  timeout: Milliseconds
): Promise<Introductions> {
  const record = textOf(question.record, 'base64pad')
  const asking = { question: { ...question, record }, timeout, maxAnswer }
  const response = await ask(connection, introductionsProtocol, asking)
  const { seen, records } = answerSchema.parse(response)
  const read = await Promise.all(records.map(readAddresses))
  const wanted = new Set(question.wanted)
  return { seen, records: read.filter((each) => each !== undefined).filter(({ id }) => wanted.has(id)) }
}

/** On which connections this peer has announced its present addresses, and when. */
export class Announcements {
  readonly #clock: Pick<TimerClock, 'now'>
  readonly #renewEvery: Milliseconds
  #times = new WeakMap<Connection, Milliseconds>()
  #addresses = ''

  /** @param renewEvery - the time after which an announcement is due again */
  constructor(clock: Pick<TimerClock, 'now'>, renewEvery: Milliseconds) {
    this.#clock = clock
    this.#renewEvery = renewEvery
  }

  /** Takes the present addresses. Where others were announced, these are due. */
  take(addresses: readonly string[]): void {
    const text = addresses.join()
    if (this.#addresses !== text) this.#times = new WeakMap()
    this.#addresses = text
  }

  /** To be called when they are announced. */
  made(connection: Connection): void {
    this.#times.set(connection, this.#clock.now())
  }

  /** Whether an announcement on this connection is due. */
  isDue(connection: Connection): boolean {
    const last = this.#times.get(connection)
    return last === undefined || this.#clock.now() >= last + this.#renewEvery
  }
}
