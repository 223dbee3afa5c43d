import type { Connection, Stream } from '@libp2p/interface'
import { RefusedError } from '@murmuration/core'
import { askingBudgets } from '../base/budgets.js'
import { isOpen, type LinkContext } from '../links/context.js'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { sourceOf } from '../addresses/reach.js'
import type { PeerSet } from '../links/peer-set.js'
import { answer } from '../questions/questions.js'
import { Admissions, type RunTerms, type Taken } from './admissions.js'
import type { Admission, Certificate } from './certificates.js'
import { askForAdmission, maxQuestion, questionSchema } from './protocol.js'
import { unref } from '../base/clock.js'

/** How a run admits peers with ids that its topology file does not list. */
export interface AdmissionOptions extends RunTerms {
  /** The files of the run that an admitted peer is sent. */
  readonly files: string
  /** The admission of this peer itself, if it was invited. */
  readonly own?: Admission | undefined
  /** The certificates that were stored before. */
  readonly certificates?: readonly Certificate[]
  /** Called with all certificates whenever there is a new one. */
  readonly onCertificates?: (certificates: readonly Certificate[]) => void
}

/** The most connections of unknown peers at once, and the time that each has to present an invitation. */
const maxGuests = 16
const guestFor = 5_000

/** Admits peers by invitation, excludes peers with a revoked invitation, and tells the other peers. */
export class AdmissionDesk {
  readonly #context: LinkContext
  readonly #peers: PeerSet
  readonly #options: AdmissionOptions
  readonly #admissions: Admissions
  readonly #onRemoved: (error: RefusedError) => void
  readonly #budgets = askingBudgets()
  /** The connections of unknown peers, in order of arrival. */
  readonly #guests = new Set<Connection>()
  /** Connections on which an unknown peer has sent its one question. */
  readonly #asked = new WeakSet<Connection>()

  /** @param onRemoved - called when this peer's own admission is void */
  constructor(
    context: LinkContext,
    peers: PeerSet,
    options: AdmissionOptions,
    onRemoved: (error: RefusedError) => void
  ) {
    this.#onRemoved = onRemoved
    this.#context = context
    this.#peers = peers
    this.#options = options
    this.#admissions = new Admissions(options)
  }

  /** Takes the stored certificates. To be called once the peer list is known. */
  open(): void {
    const { certificates = [], own } = this.#options
    for (const certificate of certificates) this.#admissions.take(certificate)
    if (own !== undefined) this.#admissions.take(own)
    this.#settle()
  }

  /**
   * To be called for each open connection: that of an unknown peer is closed after `guestFor`, or when there are too
   * many, see {@link placeToFree}.
   */
  opened(connection: Connection): void {
    const { directory } = this.#context
    const id = connection.remotePeer.toString()
    if (connection.direction !== 'inbound' || directory.nameOf(id) !== undefined) return
    const close = () => {
      if (directory.nameOf(id) === undefined && isOpen(connection)) this.#end(connection, 'it presented no invitation')
    }
    unref(setTimeout(close, guestFor))
    this.#guests.add(connection)
    connection.addEventListener('close', () => this.#guests.delete(connection))
    const places = this.#places()
    const excess = places.length > maxGuests ? placeToFree(places) : undefined
    if (excess !== undefined) this.#end(excess.connection, 'too many unknown peers are connected')
  }

  /** Ends the connection of an unknown peer, and reports it. */
  #end(connection: Connection, reason: string): void {
    this.#context.directory.refuse(connection.remotePeer.toString(), connection.remoteAddr.toString(), reason)
    connection.abort(new Error(reason))
  }

  /** The connections of peers that are still unknown; one is in use once its question has arrived. */
  #places(): readonly (Place & { readonly connection: Connection })[] {
    const { directory } = this.#context
    const unknown = [...this.#guests].filter(({ remotePeer }) => directory.nameOf(remotePeer.toString()) === undefined)
    return unknown.map((connection) => ({
      connection,
      holder: sourceOf(connection.remoteAddr),
      isIdle: !this.#asked.has(connection)
    }))
  }

  /**
   * Sends this peer's admission and all certificates to a peer that it has dialled. Rejects when that peer refuses it.
   */
  async greet(connection: Connection): Promise<void> {
    const { handshakeTimeout } = this.#context.limits
    const question = { present: this.#options.own, certificates: this.#admissions.all, wantsFiles: false }
    const answer = await askForAdmission(connection, question, handshakeTimeout).catch((error: unknown) => {
      // A peer without a run key in its file does not speak this protocol; its hello says what else differs.
      if (error instanceof Error && error.name === 'UnsupportedProtocolError') return undefined
      throw error
    })
    if (answer === undefined) return
    // Taken also from a refusal: what the run key has signed shows whether the admission is void or only this peer
    // refuses it.
    this.#takeAll(answer.certificates, true)
    if (answer.refused !== undefined) throw new Error(`it does not admit this peer: ${answer.refused}`)
  }

  /**
   * Answers a peer of the run, or an unknown peer that presents an invitation or a revocation; the latter only once per
   * connection.
   */
  async serve(stream: Stream, connection: Connection): Promise<void> {
    const { directory, limits } = this.#context
    const { remotePeer, remoteAddr } = connection
    const id = remotePeer.toString()
    const isUnknown = directory.nameOf(id) === undefined
    if (isUnknown && this.#asked.has(connection))
      return connection.abort(new Error('an unknown peer may ask only once'))
    if (isUnknown) this.#asked.add(connection)
    if (!this.#budgets.spend(id)) return stream.abort(new Error('it asks too often'))
    const answering = { timeout: limits.handshakeTimeout, maxQuestion }
    await answer(stream, answering, (question) => {
      const { present, shows, certificates, wantsFiles } = questionSchema.parse(question)
      if (shows !== undefined) {
        const refused = this.#admissions.refusalOf(shows, id, Date.now())
        if (refused === undefined) return { certificates: [], files: this.#options.files }
        directory.refuse(id, remoteAddr.toString(), refused)
        return { refused, certificates: [] }
      }
      const own = present?.kind === 'admission' && present.id === id ? present : undefined
      const result = own && this.#present(own)
      const isMember = directory.nameOf(id) !== undefined
      // From a peer outside the run, only a revocation is taken: the run key has signed it.
      this.#takeAll(certificates, isMember)
      if (directory.nameOf(id) !== undefined) {
        return { certificates: this.#admissions.all, ...(wantsFiles ? { files: this.#options.files } : {}) }
      }
      const reason =
        result?.kind === 'refused' ? result.reason : 'it is not in the peer list and presents no invitation for its id'
      // A caller that brings certificates does not ask to be admitted, so its refusal is not reported.
      if (certificates.length === 0) directory.refuse(id, remoteAddr.toString(), reason)
      return { refused: reason, certificates: own === undefined ? [] : this.#admissions.against(own) }
    })
  }

  #present(admission: Admission): Taken {
    const result = this.#admissions.present(admission, Date.now())
    if (result.kind === 'new') this.#changed([admission])
    return result
  }

  #takeAll(certificates: readonly Certificate[], isMember: boolean): void {
    const accepted = isMember ? certificates : certificates.filter(({ kind }) => kind === 'revocation').slice(0, 1)
    this.#changed(accepted.filter((certificate) => this.#admissions.take(certificate).kind === 'new'))
  }

  /** Applies new certificates, and sends them to all connected peers. */
  #changed(news: readonly Certificate[]): void {
    if (news.length === 0) return
    this.#settle()
    this.#options.onCertificates?.(this.#admissions.all)
    const { limits } = this.#context
    for (const { connections } of this.#peers.sessions.values()) {
      const connection = connections.find(isOpen)
      if (connection === undefined) continue
      // A peer that misses this learns it when it connects again.
      askForAdmission(connection, { certificates: news, wantsFiles: false }, limits.handshakeTimeout).catch(() => {})
    }
  }

  /** Updates the peer list: adds the peers that have a place, removes the others. */
  #settle(): void {
    const { directory, emit, self } = this.#context
    this.#checkOwn()
    for (const peer of this.#options.places) {
      if (peer === self) continue
      const previous = directory.entry(peer)?.id
      const current = this.#admissions.idOf(peer)
      if (previous === current) continue
      if (previous !== undefined) {
        this.#peers.exclude(peer, 'its invitation was revoked, or another peer has its place')
        directory.remove(peer)
        emit({ kind: 'put-out', peer, id: previous })
      }
      if (current !== undefined && directory.admit({ name: peer, id: current, addresses: [] })) {
        this.#peers.admitted(peer)
        emit({ kind: 'admitted', peer, id: current })
      }
    }
  }
  /** Stops this peer when its own admission is void. */
  #checkOwn(): void {
    const { own } = this.#options
    if (own === undefined) return
    const { name } = own.invitation
    const holder = this.#admissions.idOf(name)
    if (holder === own.id) return
    const reason = holder === undefined ? 'the invitation was revoked' : `${holder} has its place`
    this.#onRemoved(
      new RefusedError(name, 'unknown-peer', `"${name}" was removed from the run: ${reason}; ask for a new invitation`)
    )
  }
}

/**
 * The same, but once on each connection: to a peer that does not know this one yet, there may be only one question on a
 * connection. After a failure the next call tries again.
 */
export function oncePerConnection(
  ask: (connection: Connection) => Promise<void>
): (connection: Connection) => Promise<void> {
  const asked = new WeakMap<Connection, Promise<void>>()
  return (connection) => {
    const existing = asked.get(connection)
    if (existing !== undefined) return existing
    const asking = ask(connection)
    asked.set(connection, asking)
    asking.catch(() => asked.delete(connection))
    return asking
  }
}
