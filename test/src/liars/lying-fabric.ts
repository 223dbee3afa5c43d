/** A peer of the peer list, with its real key and the real protocol, that says other things than an honest one. */
import type { Envelope, Fabric, Milliseconds, NoteListener, PeerName } from '@murmuration/core'
import type { PeerRecord, Signer, Vote } from '@murmuration/membership'
import type { VectorMessage } from '@murmuration/wire'

/** What a liar knows when it lies. */
export interface LiarView {
  readonly self: PeerName
  readonly others: readonly PeerName[]
  readonly signer: Signer
  /** Time since the first lie. */
  readonly age: Milliseconds
  /** Signed records and votes of others, as first told and as last told. */
  readonly first: ReadonlyMap<PeerName, PeerRecord>
  readonly last: ReadonlyMap<PeerName, PeerRecord>
}

/** The content of a gossip note. */
export interface GossipContent {
  readonly kind: string
  readonly number: number
  readonly round: number
  readonly samples: number
  readonly records: readonly PeerRecord[]
  readonly votes: readonly Vote[]
}

/** A message that is sent later, or not at all. */
export interface Sending {
  readonly message?: VectorMessage
  readonly after?: Milliseconds
}

/** What is said in place of the truth; where a member is absent, the truth. */
export interface FabricLie {
  /** Changes the liar's own record, which is then signed. */
  readonly record?: (record: PeerRecord, sight: LiarView, number: number) => Partial<PeerRecord>
  /** Additions to a note. */
  readonly adds?: (sight: LiarView) => Partial<Pick<GossipContent, 'records' | 'votes'>>
  /** Replaces the text of a finished note. */
  readonly text?: (text: string, sight: LiarView) => string
  /** Replaces a message. */
  readonly send?: (message: VectorMessage, sight: LiarView) => Sending
  /** Whether nothing at all is sent now. */
  readonly isMute?: (sight: LiarView) => boolean
}

/** A record of this peer with some fields changed. */
export function signedRecord(record: PeerRecord, change: Partial<PeerRecord>, signer: Signer): PeerRecord {
  const changed = { ...record, ...change }
  const { name, life, refutation, beat, status, from, isIn, round, samples, broken, silent, waitsFor } = changed
  const parts = [name, life, refutation, beat, status, from, isIn, round, samples, broken, silent, waitsFor]
  return { ...changed, signature: signedNow(signer, JSON.stringify(['record', ...parts])) }
}

export function signedVote({ voter, target, life, refutation }: Omit<Vote, 'signature'>, signer: Signer): Vote {
  const text = JSON.stringify(['vote', voter, target, life, refutation])
  return { voter, target, life, refutation, signature: signedNow(signer, text) }
}

/** Keys of Node sign at once. */
function signedNow(signer: Signer, text: string): string {
  const signature = signer.sign(text)
  if (typeof signature !== 'string') throw new Error('a key that signs later')
  return signature
}

/** The fabric of a liar: it changes what is sent. */
export class LyingFabric implements Fabric<VectorMessage> {
  /** The number of changed notes and messages. */
  lies = 0
  readonly self
  readonly random
  readonly signal
  readonly #inner: Fabric<VectorMessage>
  readonly #signer: Signer
  readonly #lieNow: () => FabricLie | undefined
  readonly #others: readonly PeerName[]
  readonly #first = new Map<PeerName, PeerRecord>()
  readonly #last = new Map<PeerName, PeerRecord>()
  #since: Milliseconds | undefined
  /** Its honest record, and how often it has told another one. */
  #own: PeerRecord | undefined
  #told = 0

  /** @param lieNow - called at every sending; undefined means honesty */
  constructor(
    inner: Fabric<VectorMessage>,
    signer: Signer,
    others: readonly PeerName[],
    lieNow: () => FabricLie | undefined
  ) {
    this.self = inner.self
    this.random = inner.random
    this.signal = inner.signal
    this.#inner = inner
    this.#signer = signer
    this.#others = others
    this.#lieNow = lieNow
  }

  get isStopping(): boolean {
    return this.#inner.isStopping
  }

  stop(reason: unknown): void {
    this.#inner.stop(reason)
  }

  tell(to: PeerName, note: string): void {
    const lie = this.#lieNow()
    const sight = this.#sight()
    this.#own = gossipOf(note)?.records.find(({ name }) => name === this.self) ?? this.#own
    if (lie === undefined) return this.#inner.tell(to, note)
    if (lie.isMute?.(sight) === true) return void this.lies++
    const said = lie.text?.(note, sight) ?? this.#changed(note, lie, sight)
    if (said !== note) this.lies++
    this.#inner.tell(to, said)
  }

  send(to: PeerName, message: VectorMessage): 'queued' | 'full' | 'unreachable' {
    const lie = this.#lieNow()
    const sight = this.#sight()
    const isMute = lie?.isMute?.(sight) === true
    const sending = isMute ? {} : (lie?.send?.(message, sight) ?? { message })
    if (sending.message === message && sending.after === undefined) return this.#inner.send(to, message)
    this.lies++
    if (sending.message !== undefined) this.#sendLater(to, sending.message, sending.after ?? 0)
    return 'queued'
  }

  listen(listener: NoteListener): void {
    this.#inner.listen({
      ...listener,
      heard: (from) => listener.heard(from),
      refused: (peer) => listener.refused(peer),
      note: (from, note) => {
        this.#learn(note)
        return listener.note(from, this.#withoutOwn(note))
      }
    })
  }

  now = () => this.#inner.now()
  neighbours = (round: number) => this.#inner.neighbours(round)
  receive = (until?: Milliseconds) => this.#inner.receive(until)
  wake = () => this.#inner.wake()
  recycle = (message: VectorMessage) => this.#inner.recycle(message)
  reject = (envelope: Envelope<VectorMessage>, reason: string) => this.#inner.reject(envelope, reason)
  allocate = (length: number) => this.#inner.allocate(length)
  free = (vector: Float32Array) => this.#inner.free(vector)
  sleep = (until: Milliseconds) => this.#inner.sleep(until)
  work: Fabric<VectorMessage>['work'] = (work) => this.#inner.work(work)
  spawn: Fabric<VectorMessage>['spawn'] = (activity) => this.#inner.spawn(activity)

  #sendLater(to: PeerName, message: VectorMessage, after: Milliseconds): void {
    const vector = message.vector.slice()
    this.#inner.spawn(async (own) => {
      if (after > 0) await own.sleep(own.now() + after)
      own.send(to, { ...message, vector })
    })
  }

  /** The note with the liar's own record changed, and with the additions. */
  #changed(text: string, lie: FabricLie, sight: LiarView): string {
    const note = gossipOf(text)
    if (note === undefined) return text
    const { record, adds } = lie
    if (record === undefined && adds === undefined) return text
    const added = adds?.(sight) ?? {}
    const own = record === undefined ? undefined : this.#ownOf(note, record, sight)
    const others = own === undefined ? note.records : note.records.filter(({ name }) => name !== this.self)
    const records = [...others, ...(own === undefined ? [] : [own]), ...(added.records ?? [])]
    const { round, samples } = own ?? note
    return JSON.stringify({ ...note, round, samples, records, votes: [...note.votes, ...(added.votes ?? [])] })
  }

  /** A changed record of its own, newer than all that it has told. */
  #ownOf(
    { number, round, samples }: GossipContent,
    record: NonNullable<FabricLie['record']>,
    sight: LiarView
  ): PeerRecord | undefined {
    if (this.#own === undefined) return undefined
    const own = { ...this.#own, round, samples, beat: this.#own.beat + ++this.#told }
    return signedRecord(own, record(own, sight, number), this.#signer)
  }

  /** Its own process must not receive what it has told. */
  #withoutOwn(text: string): string {
    const note = gossipOf(text)
    if (note === undefined) return text
    return JSON.stringify({ ...note, records: note.records.filter(({ name }) => name !== this.self) })
  }

  #sight(): LiarView {
    const now = this.#inner.now()
    if (this.#lieNow() !== undefined) this.#since ??= now
    const { self } = this
    const known = { first: this.#first, last: this.#last }
    return { self, others: this.#others, signer: this.#signer, age: now - (this.#since ?? now), ...known }
  }

  #learn(text: string): void {
    for (const record of gossipOf(text)?.records ?? []) {
      if (!this.#first.has(record.name)) this.#first.set(record.name, record)
      this.#last.set(record.name, record)
    }
  }
}

function gossipOf(text: string): GossipContent | undefined {
  if (!text.startsWith('{')) return undefined
  const note = JSON.parse(text) as GossipContent
  return note.kind === 'gossip' ? note : undefined
}
