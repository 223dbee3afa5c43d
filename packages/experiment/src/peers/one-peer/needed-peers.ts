import { Members, type MembersFabric, type MembersOptions } from '@murmuration/algorithms'
import { type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { NeighbourStatus } from '@murmuration/libp2p'
import type { MemberChange, Signer } from '@murmuration/membership'
import { placeInLines } from '../../training/pipeline.js'
import { lossRuleOf, type RunPlan } from '../../training/plan.js'

/** How long a goodbye may take to arrive after the news that a peer has left. */
const goodbyeWithin: Milliseconds = 1000
/** How long a verdict on a silent peer may take after a timeout. */
const verdictWithin: Milliseconds = 3000

/** How often to look, in milliseconds. */
const lookEvery: Milliseconds = 50

/** What {@link NeededPeers} has of its peer. */
export interface NeededOptions {
  readonly fabric: MembersFabric
  readonly signer: Signer
  readonly others?: MembersOptions['others']
  /** The state of the links. */
  readonly links: () => readonly Pick<NeighbourStatus, 'name' | 'state' | 'reason'>[]
  /** Ends the run of this peer with an error. */
  readonly fail: (error: NeighboursMissingError) => void
}

/**
 * Where the loss of a peer ends the run (see lossRule): ends it, with its cause, as soon as a peer, or a server, is
 * certainly gone: its process has ended or was replaced, or it has left. All peers learn that from each other, so that
 * all tell the same cause, and none trains on in a part of the run. A peer that is silent has the timeout of the run.
 */
export class NeededPeers {
  readonly #members: Members
  readonly #options: NeededOptions
  readonly #plan: RunPlan
  #hasBegun = false
  #cause: string | undefined
  #lost: readonly PeerName[] | undefined

  constructor(plan: RunPlan, options: NeededOptions) {
    const { topology, servers } = plan.file
    const { timeout } = plan.training
    const peers = [...topology.peers, ...servers.map(({ name }) => name)]
    this.#options = options
    this.#plan = plan
    this.#members = new Members(options.fabric, {
      settings: { minSuspectAfter: timeout, maxSuspectAfter: timeout, forgetAfter: Number.MAX_SAFE_INTEGER },
      topology: { peers, period: topology.period, mixing: (peer, round) => topology.mixing(peer, round) },
      signer: options.signer,
      others: options.others,
      wait: { start: Number.POSITIVE_INFINITY, pause: Number.POSITIVE_INFINITY },
      onChange: (change) => this.#take(change)
    })
  }

  /** The peer whose loss has ended the run; none where others have told of it; undefined before, or if unknown. */
  get lost(): readonly PeerName[] | undefined {
    return this.#lost
  }

  /** All are connected: this peer trains from this round on. */
  begin(round: number): void {
    this.#members.begin(round)
    this.#hasBegun = true
  }

  /** This peer has finished, before `round`. */
  finish(round: number): void {
    this.#members.conclude(round)
  }

  /** This peer ends before the run is over. */
  leave(): void {
    this.#members.leave()
  }

  /** What this peer reports of a message that has not come: why, where that is known, or will be in a moment. */
  async explain(error: NeighboursMissingError): Promise<NeighboursMissingError> {
    if (this.#cause !== undefined || !this.#hasBegun) return error
    const found = () => this.#cause ?? this.#causeOf(error.missing)
    // Rejects once this peer is stopped, with the cause that was found meanwhile.
    await until(this.#options.fabric, () => found() !== undefined, verdictWithin).catch(() => {})
    const cause = found()
    return cause === undefined ? error : new NeighboursMissingError(error.missing, `${error.message}; ${cause}`)
  }

  #take(change: MemberChange): void {
    const { self } = this.#options.fabric
    // Others know a life of this peer that this process has not lived.
    if (this.#hasBegun && this.#members.standing.state === 'starting')
      return this.#end(self, `an earlier process of ${self} has taken part in the run`)
    if (!('peer' in change)) return
    const { peer } = change
    if (change.kind === 'died') this.#end(peer, `${peer} is dead: ${change.voters.join(', ')} cannot reach it`)
    if (change.kind === 'joined' && change.life > 1) this.#end(peer, `${peer} has started again`)
    if (change.kind === 'left') this.#options.fabric.spawn((spawned) => this.#hasLeft(peer, spawned))
  }

  /**
   * The goodbye, which has the reason, goes another way than the news. A death that has caused it is told rather than
   * its consequence.
   */
  async #hasLeft(peer: PeerName, fabric: MembersFabric): Promise<void> {
    await until(fabric, () => this.#goodbyeOf(peer) !== undefined, goodbyeWithin)
    const reason = this.#goodbyeOf(peer)
    this.#end(peer, `${peer} has left${reason === undefined ? '' : `: ${reason}`}`)
  }

  #goodbyeOf(peer: PeerName): string | undefined {
    const link = this.#options.links().find(({ name }) => name === peer)
    return link?.state === 'left' ? link.reason : undefined
  }

  #causeOf(missing: readonly PeerName[]): string | undefined {
    const { knowledge } = this.#members
    for (const peer of missing) {
      if (knowledge.isDead(peer)) return `${peer} is dead`
      const link = this.#options.links().find(({ name }) => name === peer)
      if (link !== undefined && link.state !== 'ready') return `${peer} is ${link.state}: ${link.reason}`
    }
    return undefined
  }

  #end(peer: PeerName, cause: string): void {
    if (this.#cause !== undefined || !this.#hasBegun) return
    this.#cause = cause
    // What others have told may say it already, and who is lost.
    const { because = '' } = lossRuleOf(this.#plan)
    const isTold = cause.includes(because)
    this.#lost = isTold ? [] : [peer]
    const { pipeline } = this.#plan.file
    const role = pipeline === undefined ? '' : `, which trains stage ${placeInLines(pipeline, peer).stage}`
    const text = isTold ? cause : `${cause}${role}; ${because}`
    this.#options.fail(new NeighboursMissingError([peer], `${this.#options.fabric.self}: ${text}`))
  }
}

async function until(fabric: MembersFabric, isDone: () => boolean, within: Milliseconds): Promise<void> {
  const end = fabric.now() + within
  while (!isDone() && fabric.now() < end) await fabric.sleep(fabric.now() + lookEvery)
}
