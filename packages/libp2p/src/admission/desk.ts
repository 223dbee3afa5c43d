import type { Connection, Stream } from '@libp2p/interface'
import { RefusedError } from '@murmuration/core'
import { AskingBudgets } from '../discovery/asking-budgets.js'
import { isOpen, type LinkContext } from '../context.js'
import type { PeerSet } from '../peer-set.js'
import { answer } from '../questions.js'
import { Admissions, type RunTerms, type Taken } from './admissions.js'
import type { Admission, Certificate } from './certificates.js'
import { askForAdmission, maxQuestion, questionSchema } from './protocol.js'

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
  readonly #known: Admissions
  readonly #putOut: (error: RefusedError) => void
  readonly #budgets = new AskingBudgets()
  /** Connections on which an unknown peer has sent its one question. */
  readonly #asked = new WeakSet<Connection>()

  /** @param putOut - called when this peer's own admission is void */
  constructor(context: LinkContext, peers: PeerSet, options: AdmissionOptions, putOut: (error: RefusedError) => void) {
    this.#putOut = putOut
    this.#context = context
    this.#peers = peers
    this.#options = options
    this.#known = new Admissions(options)
  }

  /** Takes the stored certificates. To be called once the peer list is known. */
  open(): void {
    const { certificates = [], own } = this.#options
    for (const certificate of certificates) this.#known.take(certificate)
    if (own !== undefined) this.#known.take(own)
    this.#settle()
  }

  /** Whether an unknown peer may connect now, to present an invitation. */
  get hasRoom(): boolean {
    const { node, directory } = this.#context
    const guests = node
      .getConnections()
      .filter(({ remotePeer }) => directory.nameOf(remotePeer.toString()) === undefined)
    return guests.length < maxGuests
  }

  /** To be called for each open connection: that of an unknown peer is closed after `guestFor`. */
  opened(connection: Connection): void {
    const { directory } = this.#context
    const id = connection.remotePeer.toString()
    if (connection.direction !== 'inbound' || directory.nameOf(id) !== undefined) return
    const close = () => {
      if (directory.nameOf(id) !== undefined || !isOpen(connection)) return
      directory.refuse(id, connection.remoteAddr.toString(), 'it has presented no invitation')
      connection.abort(new Error('it has presented no invitation'))
    }
    setTimeout(close, guestFor).unref()
  }

  /** Sends this peer's admission and all certificates to a peer that it has dialled. Rejects when that peer refuses it. */
  async greet(connection: Connection): Promise<void> {
    const { handshakeTimeout } = this.#context.limits
    const question = { present: this.#options.own, certificates: this.#known.all, wantsFiles: false }
    const answer = await askForAdmission(connection, question, handshakeTimeout).catch((error: unknown) => {
      // A peer without a run key in its file does not speak this protocol; its hello says what else differs.
      if (error instanceof Error && error.name === 'UnsupportedProtocolError') return undefined
      throw error
    })
    if (answer === undefined) return
    // Taken also from a refusal: what the run key has signed shows whether the admission is void or only this peer refuses it.
    this.#takeAll(answer.certificates, true)
    if (answer.refused !== undefined) throw new Error(`it does not let this peer in: ${answer.refused}`)
  }

  /** Answers a peer of the run, or an unknown peer that presents an invitation or a revocation; the latter only once per connection. */
  async serve(stream: Stream, connection: Connection): Promise<void> {
    const { directory, limits } = this.#context
    const { remotePeer, remoteAddr } = connection
    const id = remotePeer.toString()
    const isUnknown = directory.nameOf(id) === undefined
    if (isUnknown && this.#asked.has(connection)) return connection.abort(new Error('an unknown peer asks once'))
    if (isUnknown) this.#asked.add(connection)
    if (!this.#budgets.spend(id)) return stream.abort(new Error('it asks too often'))
    const asked = { timeout: limits.handshakeTimeout, maxQuestion }
    await answer(stream, asked, (given) => {
      const { present, certificates, wantsFiles } = questionSchema.parse(given)
      const own = present?.kind === 'admission' && present.id === id ? present : undefined
      const taken = own && this.#present(own)
      const isMember = directory.nameOf(id) !== undefined
      // From a peer outside the run, only a revocation is taken: the run key has signed it.
      this.#takeAll(certificates, isMember)
      if (directory.nameOf(id) !== undefined) {
        return { certificates: this.#known.all, ...(wantsFiles ? { files: this.#options.files } : {}) }
      }
      const reason =
        taken?.kind === 'refused' ? taken.reason : 'it is not in the peer list and presents no invitation of its own'
      // A caller that brings certificates does not ask to be admitted, so its refusal is not reported.
      if (certificates.length === 0) directory.refuse(id, remoteAddr.toString(), reason)
      return { refused: reason, certificates: own === undefined ? [] : this.#known.against(own) }
    })
  }

  #present(admission: Admission): Taken {
    const taken = this.#known.present(admission, Date.now())
    if (taken.kind === 'new') this.#changed([admission])
    return taken
  }

  #takeAll(certificates: readonly Certificate[], isMember: boolean): void {
    const believed = isMember ? certificates : certificates.filter(({ kind }) => kind === 'revocation').slice(0, 1)
    this.#changed(believed.filter((certificate) => this.#known.take(certificate).kind === 'new'))
  }

  /** Applies new certificates, and sends them to all connected peers. */
  #changed(news: readonly Certificate[]): void {
    if (news.length === 0) return
    this.#settle()
    this.#options.onCertificates?.(this.#known.all)
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
      const [before, after] = [directory.entry(peer)?.id, this.#known.idOf(peer)]
      if (before === after) continue
      if (before !== undefined) {
        this.#peers.put(peer, 'its invitation was revoked, or another has its place')
        directory.remove(peer)
        emit({ kind: 'put-out', peer, id: before })
      }
      if (after !== undefined && directory.admit({ name: peer, id: after, addresses: [] })) {
        this.#peers.admitted(peer)
        emit({ kind: 'admitted', peer, id: after })
      }
    }
  }
  /** Stops this peer when its own admission is void. */
  #checkOwn(): void {
    const { own } = this.#options
    if (own === undefined) return
    const { name } = own.invitation
    const holder = this.#known.idOf(name)
    if (holder === own.id) return
    const reason = holder === undefined ? 'the invitation was revoked' : `${holder} has the place`
    const remedy = 'it is no peer of the run any more; ask for another invitation'
    this.#putOut(new RefusedError(name, 'unknown-peer', `"${name}" was put out of the run: ${reason}; ${remedy}`))
  }
}
