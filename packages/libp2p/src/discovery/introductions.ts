/**
 * The protocol by which peers learn each other's addresses: who asks tells where it is itself, and whom it looks for; who answers gives what those
 * have signed. One question, one answer, one stream.
 */
import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { z } from 'zod'
import { tcpHost } from '../channel/address.js'
import { answer, ask } from '../questions.js'
import type { AddressBook } from './address-book.js'
import { maxRecordBytes, readAddresses, type SignedAddresses } from './signed-addresses.js'

export const introductionsProtocol = '/murmuration/introductions/1'

/** The most peers that one question asks for. */
export const maxWanted = 64

/** The most bytes of a question, and of an answer. */
const maxQuestion = 16 << 10
const maxAnswer = 256 << 10

const record = z
  .base64()
  .max(4 * Math.ceil(maxRecordBytes / 3))
  .transform((text) => Uint8Array.from(Buffer.from(text, 'base64')))
const peerId = z.string().min(32).max(64)

const questionSchema = z.object({
  /** What the peers of a run call it; nobody else can ask for them. */
  run: z.string().min(16).max(128),
  /** The asker's own addresses, as it signs them. */
  record,
  /** The peer ids that it looks for. */
  wanted: z.array(peerId).max(maxWanted)
})
const answerSchema = z.object({
  /** The IP address from which the question came. */
  seen: z.string().max(64),
  records: z.array(record).max(maxWanted)
})

/**
 * Answers a question from a book, and puts the asker into it. What is no question, or tells of others, is not answered.
 *
 * @param source - who counts as the source of the asker's record, see {@link AddressBook.keep}
 */
export function introduce(
  book: AddressBook,
  stream: Stream,
  { remotePeer, remoteAddr }: Connection,
  { source, timeout }: { readonly source: string; readonly timeout: Milliseconds }
): Promise<void> {
  // What calls through a relay is at another address.
  const seen = tcpHost(remoteAddr) ?? ''
  return answer(stream, { timeout, maxQuestion }, async (given) => {
    const { run, record, wanted } = questionSchema.parse(given)
    const own = await readAddresses(record)
    if (own?.id !== remotePeer.toString()) throw new Error('it tells where somebody else is')
    book.keep(run, own, source)
    const records = wanted.flatMap((id) => book.find(run, id) ?? [])
    return { seen, records: records.map(({ bytes }) => Buffer.from(bytes).toString('base64')) }
  })
}

/** What an answer told. */
export interface Introductions {
  /** The IP address that this peer has for the other end; empty where that is none. */
  readonly seen: string
  /** Those of the wanted peers alone. */
  readonly records: readonly SignedAddresses[]
}

/** Asks where peers are, at most {@link maxWanted}. What the answer says of others, or is not signed by them, is left out. */
export async function askForAddresses(
  connection: Connection,
  question: { readonly run: string; readonly record: Uint8Array; readonly wanted: readonly string[] },
  timeout: Milliseconds
): Promise<Introductions> {
  const record = Buffer.from(question.record).toString('base64')
  const asking = { question: { ...question, record }, timeout, maxAnswer }
  const given = await ask(connection, introductionsProtocol, asking)
  const { seen, records } = answerSchema.parse(given)
  const read = await Promise.all(records.map(readAddresses))
  const wanted = new Set(question.wanted)
  return { seen, records: read.filter((each) => each !== undefined).filter(({ id }) => wanted.has(id)) }
}
