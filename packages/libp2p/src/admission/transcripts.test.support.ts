/**
 * Admission as transcripts: the real peers `a` and `b` of a run with a place for `c`, and nodes that are no peers and
 * ask them.
 */
import type { Connection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { type Input, type Protocol, type TranscriptRun, timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { defaultLimits } from '../base/constants.js'
import { createIdentity, type Identity } from '../base/identity.js'
import { eventually, graph, peerListOf, type TestNode, testNode } from '../cluster.test.support.js'
import { createNode } from '../node/node.js'
import { type Admission, admissionOf, type Certificate, precedence, revoke } from './certificates.js'
import { tellRun } from './enter-run.js'
import { type Invitation, invite } from './invitation.js'
import { type AdmissionAnswer, askForAdmission } from './protocol.js'

/** The transcripts of how peers with invitations are admitted. */
export const protocol: Protocol = {
  folder: new URL('../../src/admission/transcripts/', import.meta.url),
  start: (put) => new Run(put)
}

const c = peerName('c')
const places = [c]
const hour = 3_600_000
const fingerprint = '0'.repeat(64)
const long = timeLimit(10_000)

class Run implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/(\w) is an invitation/, (name) => this.#invite(name, {})],
    [/(\w) is an invitation that has expired/, (name) => this.#invite(name, { expires: this.#now - 1 })],
    [/(\w) is an invitation issued in the future/, (name) => this.#invite(name, { issued: this.#now + hour })],
    [/(\w) is an invitation for the name d/, (name) => this.#invite(name, { name: peerName('d') })],
    [/(\w) is an invitation to other settings/, (name) => this.#invite(name, { fingerprint: '1'.repeat(64) })],
    [/(\w) is an invitation signed by another key/, (name) => this.#forge(name, false)],
    [/(\w) is an invitation to another run/, (name) => this.#forge(name, true)],
    [/(\w) is an invitation that was changed/, (name) => this.#change(name)],
    [/(\w)'s use of (\w) has a smaller hash than (\w)'s/, (first, name, second) => this.#order(first, name, second)],
    [
      /(\w) presents (\w) to (\w)/,
      async (guest, name, peer) => this.#present(guest, await this.#use(guest, name), peer)
    ],
    [
      /(\w) presents (\w)'s use of (\w) to (\w)/,
      async (guest, other, name, peer) => this.#present(guest, await this.#use(other, name), peer)
    ],
    [
      /(\w) presents (\w)'s use of (\w) as its own to (\w)/,
      async (guest, other, name, peer) => {
        const { id } = await this.#identity(guest)
        await this.#present(guest, { ...(await this.#use(other, name)), id }, peer)
      }
    ],
    [/(\w) asks (\w), and again on the same connection/, (guest, peer) => this.#askTwice(guest, peer)],
    [/(\w) tells (\w) that c is revoked/, (guest, peer) => this.#revoke(guest, peer, 'run key')],
    [/(\w) tells (\w) that c is revoked, signed by another key/, (guest, peer) => this.#revoke(guest, peer, 'another')],
    [/a and b are not connected/, () => void (this.#isConnected = false)],
    [/b restarts/, () => this.#restart()]
  ]
  readonly #put: (output: string) => void
  readonly #ends: (() => unknown)[] = []
  readonly #now = Date.now()
  readonly #identities = new Map<string, Promise<Identity>>()
  readonly #invitations = new Map<string, Invitation>()
  /** The certificates that each peer was told to keep. */
  readonly #kept = new Map<string, readonly Certificate[]>()
  /** How many events of each process were shown. */
  readonly #shown = new Map<TestNode, number>()
  #peers: Promise<Map<string, TestNode>> | undefined
  #isConnected = true
  /** Seconds since the first invitation, in the order of invitations and revocations. */
  #step = 0

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end()
  }

  /** Starts the peers with the first input that needs them. */
  #all(): Promise<Map<string, TestNode>> {
    return (this.#peers ??= this.#start())
  }

  async #start(): Promise<Map<string, TestNode>> {
    const nodes = [await this.#node('a'), await this.#node('b')]
    const list = peerListOf(nodes)
    if (this.#isConnected) await Promise.all(nodes.map(({ peer }) => peer.connect(list, long)))
    else for (const { peer } of nodes) peer.meet(list.map((entry) => ({ ...entry, addresses: [] })))
    return new Map(nodes.map((node) => [node.name, node]))
  }

  /** A process of a peer, with the certificates that an earlier one was told to keep. */
  async #node(name: string): Promise<TestNode> {
    const { id: runKey } = await this.#identity('run key')
    const kept = this.#kept.get(name) ?? []
    const onCertificates = (all: readonly Certificate[]) => void this.#kept.set(name, all)
    const t = { teardown: (end: () => unknown) => void this.#ends.push(end) }
    return testNode(t, graph(['a', 'b'], ['a', 'c']), name, {
      identity: await this.#identity(name),
      admission: { runKey, places, fingerprint, files: 'the files of the run', certificates: kept, onCertificates }
    })
  }

  #identity(name: string): Promise<Identity> {
    const identity = this.#identities.get(name) ?? createIdentity()
    this.#identities.set(name, identity)
    return identity
  }

  /** The time of the next invitation or revocation. */
  get #time(): number {
    return this.#now - hour + 1000 * this.#step++
  }

  async #invite(name: string, change: Partial<Invitation>, key = 'run key'): Promise<void> {
    const terms = {
      name: c,
      issued: this.#time,
      expires: this.#now + hour,
      fingerprint,
      members: [],
      seeds: ['/ip4/0.0.0.0']
    }
    this.#invitations.set(name, await invite(await this.#identity(key), { ...terms, ...change }))
  }

  async #forge(name: string, isOtherRun: boolean): Promise<void> {
    await this.#invite(name, {}, 'another key')
    const { id: run } = await this.#identity('run key')
    if (!isOtherRun) this.#invitations.set(name, { ...this.#invitation(name), run })
  }

  async #change(name: string): Promise<void> {
    await this.#invite(name, {})
    this.#invitations.set(name, { ...this.#invitation(name), expires: this.#now + 2 * hour })
  }

  #invitation(name: string): Invitation {
    const invitation = this.#invitations.get(name)
    if (invitation === undefined) throw new Error(`there is no invitation ${name}`)
    return invitation
  }

  async #use(guest: string, name: string): Promise<Admission> {
    return admissionOf(this.#invitation(name), await this.#identity(guest))
  }

  /** Gives the second one another key until it is so. */
  async #order(first: string, name: string, second: string): Promise<void> {
    while (precedence(await this.#use(first, name), await this.#use(second, name)) < 0) this.#identities.delete(second)
  }

  async #connection(guest: string, peer: string): Promise<Connection> {
    const node = await createNode({ identity: await this.#identity(guest), listen: [], limits: defaultLimits })
    this.#ends.push(() => node.stop())
    await node.start()
    return node.dial(multiaddr((await this.#all()).get(peer)?.peer.addresses[0]))
  }

  async #present(guest: string, present: Admission, peer: string): Promise<void> {
    const connection = await this.#connection(guest, peer)
    const answer = await askForAdmission(connection, { present, certificates: [], wantsFiles: true }, long)
    await this.#show(peer, guest, answer)
    await this.#settle()
  }

  async #askTwice(guest: string, peer: string): Promise<void> {
    const connection = await this.#connection(guest, peer)
    const question = { certificates: [], wantsFiles: true }
    await this.#show(peer, guest, await askForAdmission(connection, question, long))
    const second = await askForAdmission(connection, question, long).catch(() => undefined)
    if (second !== undefined) await this.#show(peer, guest, second)
    await eventually('the end of the connection', () => connection.status !== 'open')
    this.#put(`${peer}: it ends the connection of ${guest}`)
  }

  async #revoke(guest: string, peer: string, key: string): Promise<void> {
    const { id: run } = await this.#identity('run key')
    const signed = { ...(await revoke(await this.#identity(key), c, this.#time)), run }
    const seeds = [...((await this.#all()).get(peer)?.peer.addresses.slice(0, 1) ?? [])]
    const { signal } = new AbortController()
    await tellRun({ run, members: [], identity: await this.#identity(guest), seeds, signal, certificate: signed })
    await this.#settle()
  }

  async #restart(): Promise<void> {
    const all = await this.#all()
    await all.get('b')?.peer.close()
    const node = await this.#node('b')
    all.set('b', node)
    node.peer.meet(peerListOf([...all.values()]))
    this.#isConnected = true
    await this.#settle()
  }

  async #show(peer: string, guest: string, { refused, files, certificates }: AdmissionAnswer): Promise<void> {
    const held = (await Promise.all(certificates.map((each) => this.#words(each)))).join(' and ')
    const verdict = refused === undefined ? `admitted, ${files}` : `refused: ${refused.replace(/\d{4}-\S+Z/, 'TIME')}`
    this.#put(`${peer} → ${guest}  ${verdict}${held === '' ? '' : ` (${held})`}`)
  }

  async #words(certificate: Certificate): Promise<string> {
    if (certificate.kind === 'revocation') return `revocation of ${certificate.name}`
    return `admission of ${await this.#nameOf(certificate.id)} as ${certificate.invitation.name}`
  }

  async #nameOf(id: string): Promise<string> {
    for (const [name, identity] of this.#identities) if ((await identity).id === id) return name
    return 'an unknown peer'
  }

  /** Waits until both peers keep the same certificates if they are connected, and shows what each has concluded. */
  async #settle(): Promise<void> {
    const textOf = (name: string) =>
      (this.#kept.get(name) ?? [])
        .map(({ signature }) => signature)
        .sort()
        .join()
    if (this.#isConnected) await eventually('the same certificates', () => textOf('a') === textOf('b'))
    for (const [name, node] of await this.#all()) {
      for (const event of node.events.slice(this.#shown.get(node) ?? 0)) {
        if (event.kind === 'admitted')
          this.#put(`${name}: ${await this.#nameOf(event.id)} has the place of ${event.peer}`)
        if (event.kind === 'put-out')
          this.#put(`${name}: ${await this.#nameOf(event.id)} loses the place of ${event.peer}`)
      }
      this.#shown.set(node, node.events.length)
    }
  }
}
