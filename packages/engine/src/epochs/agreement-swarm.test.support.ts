/** Peers that agree on epochs: their processes, links and clocks, and what each takes the others for. */
import { type Milliseconds, type PeerName, peerName } from '@murmuration/core'
import type { BrokenPair, Signer } from '@murmuration/membership'
import { EpochAgreement, type AgreementOptions } from './agreement.js'
import { type Epoch, isMember, noEpoch, type MemberPlace, type MemberStanding } from './epoch.js'
import type { EpochRules } from './next-epoch.js'

/** Signatures that each peer checks, and that no other can write, as long as those of libp2p. */
export function signerOf(self: PeerName): Signer {
  const signatureOf = (name: PeerName, text: string) => `${name} has signed ${text.length} letters`.padEnd(88, '.')
  return {
    sign: (text) => signatureOf(self, text),
    verify: (name, text, signature) => signature === signatureOf(name, text)
  }
}

/** A first epoch of these members. */
export function epochOfAll(members: readonly PeerName[], changes: Partial<Epoch> = {}): Epoch {
  return { ...noEpoch, number: 0, members: members.map((name) => ({ name, life: 1, samples: 100 })), ...changes }
}

/** A note on its way. */
export interface Sent {
  readonly from: PeerName
  readonly to: PeerName
  readonly note: string
}

export interface SwarmListener {
  sent?(sent: Sent): void
  /** What a peer says that is wrong with a note. */
  faulty?(sent: Sent, fault: string): void
  learnt?(name: PeerName, epoch: Epoch): void
}

export const defaultRules: EpochRules = {
  servers: [],
  neededServers: 0,
  isEqual: true,
  hasOwnPace: false,
  needsEveryPair: true
}
/** How long a member that lives may take to stop. */
const timeout: Milliseconds = 2000
const lookEvery: Milliseconds = 100
const askEvery: Milliseconds = 1000
const sayDoneEvery: Milliseconds = 250

/** One process of a peer: does what EpochMember and ElasticSession do, without vectors. */
export class Process {
  readonly agreement: EpochAgreement
  /** The lives in which this process takes others for gone. */
  readonly gone = new Map<PeerName, number>()
  readonly refused = new Set<PeerName>()
  broken: readonly BrokenPair[] = []
  standing: MemberStanding
  isRunning = false
  hasFinished = false
  hasLeft = false
  /** Whether its record lets go when it has to stop. */
  isBusy = false
  #asked: Milliseconds = Number.NEGATIVE_INFINITY
  #last = noEpoch.number

  constructor(
    readonly swarm: AgreementSwarm,
    readonly name: PeerName,
    readonly life: number,
    standing: MemberStanding
  ) {
    this.standing = standing
    this.agreement = new EpochAgreement({
      ...swarm.rules,
      self: name,
      peers: swarm.peers,
      signer: swarm.signerOf(name),
      stopTimeout: timeout,
      surroundings: this.#surroundings()
    } satisfies AgreementOptions)
  }

  #surroundings(): AgreementOptions['surroundings'] {
    // oxlint-disable-next-line no-this-alias -- the getters of an object have another `this`
    const me = this
    return {
      get life() {
        return me.life
      },
      isGone: (place) => place.name !== me.name && (me.gone.get(place.name) ?? 0) >= place.life,
      hasLeft: () => false,
      hasFinished: () => false,
      isSilent: () => false,
      mayJoin: ({ name, life }) => !me.refused.has(name) && (me.gone.get(name) ?? 0) < life,
      get broken() {
        return me.broken
      },
      get present() {
        const others = me.swarm.living.filter(({ name, standing }) => name !== me.name && standing.opened >= 0)
        return others.filter(({ name, life }) => (me.gone.get(name) ?? 0) < life).map(({ name }) => name)
      }
    }
  }

  begin(first: Epoch): void {
    this.agreement.begin(first)
    this.#last = first.number
    this.standing = { ...this.standing, opened: first.number }
    this.isRunning = true
  }

  /** What this process does of itself, several times a second. */
  look(now: Milliseconds): void {
    if (this.hasLeft) return
    this.agreement.tick(now)
    this.act(now)
    const isDue = (every: Milliseconds) => now - this.#asked >= every
    if (this.hasFinished && this.isRunning) {
      if (isDue(sayDoneEvery)) {
        this.#asked = now
        this.agreement.finished('run')
      }
      if (this.agreement.isLast) {
        this.hasLeft = true
        this.swarm.left(this.name)
      }
    } else if ((!this.isRunning || this.swarm.roundsStand) && isDue(askEvery)) {
      this.#asked = now
      if (this.agreement.isIn) this.agreement.askForNews()
      else this.agreement.join(this.standing.samples)
    }
    this.swarm.carry(this)
  }

  /** Stops if it has to, and begins what has been decided. */
  act(now: Milliseconds): void {
    const { agreement } = this
    const { epoch } = agreement
    if (epoch.number !== this.#last) {
      this.#last = epoch.number
      this.swarm.listener.learnt?.(this.name, epoch)
    }
    if (this.isRunning && agreement.mustStop && !this.isBusy) this.stop(now)
    if (!this.isRunning && agreement.isIn && epoch.number > this.standing.opened) {
      agreement.started()
      const { round, number } = epoch
      this.standing = { ...this.standing, opened: number, round, hasModel: true }
      this.isRunning = true
    }
  }

  stop(now: Milliseconds): void {
    this.isRunning = false
    this.agreement.stopped(this.standing, now)
  }

  /** Its round has failed although nobody is gone. */
  fail(now: Milliseconds): void {
    this.agreement.isStuck = true
    this.stop(now)
    this.swarm.carry(this)
  }
}

interface Flying extends Sent {
  readonly at: Milliseconds
}

/** Links take 10 ms, and deliver in order. */
const latency: Milliseconds = 10

export class AgreementSwarm {
  readonly processes = new Map<PeerName, Process>()
  readonly cut = new Set<string>()
  signerOf: (name: PeerName) => Signer = signerOf
  /** Decides whether a note is lost. */
  isLost: (sent: Sent) => boolean = () => false
  /** Whether rounds take long, so that who trains asks for news, too. */
  roundsStand = false
  now: Milliseconds = 0
  #flying: Flying[] = []

  constructor(
    readonly peers: readonly PeerName[],
    readonly rules: EpochRules,
    readonly listener: SwarmListener = {}
  ) {}

  get living(): readonly Process[] {
    return [...this.processes.values()]
  }

  of(name: string): Process {
    const process = this.processes.get(peerName(name))
    if (process === undefined) throw new Error(`${name} is down`)
    return process
  }

  /** A process of a peer; a member of `first`, or one that asks to be taken in. */
  start(name: PeerName, life: number, round: number, first?: Epoch): Process {
    const hasModel = first !== undefined && !first.servers.includes(name)
    const process = new Process(this, name, life, { opened: -1, round, hasModel, samples: 100 })
    this.processes.set(name, process)
    if (first !== undefined) process.begin(first)
    return process
  }

  crash(name: PeerName): void {
    this.processes.delete(name)
  }

  left(name: PeerName): void {
    for (const { name: other, gone, agreement } of this.living)
      if (other !== name && isMember(agreement.epoch, name)) gone.set(name, this.of(name).life)
  }

  /** Lets time pass. */
  pass(time: Milliseconds): void {
    const end = this.now + time
    while (this.now < end) {
      this.now += latency
      this.deliver()
      if (this.now % lookEvery === 0) for (const process of this.living) process.look(this.now)
    }
  }

  /** Sends what a process has to say. */
  carry({ name, agreement }: Process): void {
    for (const { to, note } of agreement.take()) this.send({ from: name, to, note })
  }

  send(sent: Sent): void {
    this.listener.sent?.(sent)
    if (!this.cut.has(`${sent.from} ${sent.to}`) && !this.isLost(sent))
      this.#flying.push({ ...sent, at: this.now + latency })
  }

  deliver(): void {
    const due = this.#flying.filter(({ at }) => at <= this.now)
    this.#flying = this.#flying.filter(({ at }) => at > this.now)
    for (const sent of due) {
      const process = this.processes.get(sent.to)
      if (process !== undefined && !process.hasLeft) this.#arrive(process, sent)
    }
  }

  #arrive(process: Process, sent: Sent): void {
    const fault = process.agreement.receive(sent.from, sent.note, this.now)
    if (fault !== undefined) this.listener.faulty?.(sent, fault)
    process.act(this.now)
    this.carry(process)
  }
}

export function placeText({ name, life }: MemberPlace): string {
  return life === 1 ? name : `${name} in life ${life}`
}
