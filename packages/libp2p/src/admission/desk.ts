import type { Connection, Stream } from '@libp2p/interface'
import { RefusedError } from '@murmuration/core'
import { AskingBudgets } from '../discovery/asking-budgets.js'
import { isOpen, type LinkContext } from '../context.js'
import type { PeerSet } from '../peer-set.js'
import { answer } from '../questions.js'
import { Admissions, type RunTerms, type Taken } from './admissions.js'
import type { Admission, Certificate } from './certificates.js'
import { askForAdmission, maxQuestion, questionSchema } from './protocol.js'

/** How a run lets peers in whose ids its file does not have. */
export interface AdmissionOptions extends RunTerms {
  /** What whoever is let in is told of the run. */
  readonly files: string
  /** By which this peer itself was let in. */
  readonly own?: Admission | undefined
  /** What is known from before. */
  readonly certificates?: readonly Certificate[]
  /** Given all that is known, whenever there is something new. */
  readonly onCertificates?: (certificates: readonly Certificate[]) => void
}

/** Connections of unknown peers at once, each for as long as it takes to present an invitation. */
const maxGuests = 16
const guestFor = 5_000

/** Lets peers in by invitation, puts out whose invitation is revoked, and tells the others of it. */
export class AdmissionDesk {
  readonly #context: LinkContext
  readonly #peers: PeerSet
  readonly #options: AdmissionOptions
  readonly #known: Admissions
  readonly #putOut: (error: RefusedError) => void
  readonly #budgets = new AskingBudgets()
  /** Connections on which an unknown peer has asked. */
  readonly #asked = new WeakSet<Connection>()

  /** @param putOut - told once this peer itself is let in no longer */
  constructor(context: LinkContext, peers: PeerSet, options: AdmissionOptions, putOut: (error: RefusedError) => void) {
    this.#putOut = putOut
    this.#context = context
    this.#peers = peers
    this.#options = options
    this.#known = new Admissions(options)
  }

  /** Takes in what is known from before. To be called once the peer list is known. */
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

  /** A connection was opened: that of an unknown peer is closed soon. */
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

  /** Tells a peer that this one has called what this one knows, and that it was let in itself. Rejects when it is refused. */
  async greet(connection: Connection): Promise<void> {
    const { handshakeTimeout } = this.#context.limits
    const question = { present: this.#options.own, certificates: this.#known.all, wantsFiles: false }
    const answer = await askForAdmission(connection, question, handshakeTimeout).catch((error: unknown) => {
      // One whose file has no run key has nothing to tell, and says in its hello what else differs.
      if (error instanceof Error && error.name === 'UnsupportedProtocolError') return undefined
      throw error
    })
    if (answer === undefined) return
    // Also with a refusal: what the run key has signed says whether it is only the other end that refuses.
    this.#takeAll(answer.certificates, true)
    if (answer.refused !== undefined) throw new Error(`it does not let this peer in: ${answer.refused}`)
  }

  /** Answers a peer, or an unknown peer that presents an invitation or a revocation: the unknown peer once on a connection. */
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
      // Whoever is no peer of the run may tell it of a revocation, which is the run key's own word, and of nothing else.
      this.#takeAll(certificates, isMember)
      if (directory.nameOf(id) !== undefined) {
        return { certificates: this.#known.all, ...(wantsFiles ? { files: this.#options.files } : {}) }
      }
      const reason =
        taken?.kind === 'refused' ? taken.reason : 'it is not in the peer list and presents no invitation of its own'
      // Whoever tells of a revocation does not ask to be let in.
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

  /** Something new is known: lets in and puts out, and tells all that are connected. */
  #changed(news: readonly Certificate[]): void {
    if (news.length === 0) return
    this.#settle()
    this.#options.onCertificates?.(this.#known.all)
    const { limits } = this.#context
    for (const { connections } of this.#peers.sessions.values()) {
      const connection = connections.find(isOpen)
      if (connection === undefined) continue
      // Who does not hear it now is told when it connects again.
      askForAdmission(connection, { certificates: news, wantsFiles: false }, limits.handshakeTimeout).catch(() => {})
    }
  }

  /** Has the peer list hold those that have a place now. */
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
  /** This peer ends where its own admission counts no longer. */
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
