/** Members that train over a modelled network. */
import { type Milliseconds, type PeerName, peerName, type Random, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Member } from './member.js'
import { Network, testSigner, Timeline } from './network.test.support.js'
import type { MembershipSettings } from './settings.js'
import { type Message, Trainer, type World } from './trainer.test.support.js'

/** The parameters of a swarm. */
export interface SwarmOptions {
  readonly seed: number
  readonly count: number
  readonly settings?: Partial<MembershipSettings>
  readonly startAt?: (index: number) => Milliseconds
  /** The fraction of notes that are lost. */
  readonly loss?: number
  /** Milliseconds of work in a round. */
  readonly work?: Milliseconds
  /** A peer that sends no vectors. */
  readonly liar?: PeerName | undefined
  /** Changes the liar's notes. */
  readonly tamper?: (text: string, swarm: Swarm) => string
  /** Creates members in which a rule is switched off. */
  readonly memberOf?: (...args: ConstructorParameters<typeof Member>) => Member
}

export class Swarm {
  readonly timeline = new Timeline()
  readonly names: readonly PeerName[]
  readonly topology: Topology
  readonly network: Network
  readonly trainers = new Map<PeerName, Trainer>()
  /** Faults that members have found in notes. */
  readonly faults: string[] = []
  /** Honest peers that were struck, and by which peer. */
  readonly strikes: string[] = []
  readonly random: Random
  #processes = 0

  constructor(readonly options: SwarmOptions) {
    const { seed, count, startAt = () => 0, loss = 0 } = options
    this.random = createRandom(seed, 'swarm')
    this.names = Array.from({ length: count }, (_, index) => peerName(`p${String(index).padStart(2, '0')}`))
    this.topology = ringOf(this.names)
    this.network = new Network(this.timeline, this.random.stream('network'), this.trainers, loss)
    for (const [index, name] of this.names.entries()) this.timeline.at(startAt(index), () => this.start(name))
  }

  get now(): Milliseconds {
    return this.timeline.now
  }

  trainer(name: PeerName): Trainer {
    const trainer = this.trainers.get(name)
    if (trainer === undefined) throw new Error(`${name} has not started`)
    return trainer
  }

  member(name: PeerName): Member {
    return this.trainer(name).member
  }

  /** The honest processes that run. */
  get honest(): Trainer[] {
    return [...this.trainers.values()].filter(({ isUp, name }) => isUp && name !== this.options.liar)
  }

  runUntil(end: Milliseconds): this {
    this.timeline.runUntil(end)
    return this
  }

  /** Runs until a condition holds, in steps of 50 ms. Returns how long it took; Infinity beyond the limit. */
  runWhileNot(holds: () => boolean, limit: Milliseconds): Milliseconds {
    const begun = this.now
    while (!holds() && this.now - begun <= limit) this.runUntil(this.now + 50)
    return holds() ? this.now - begun : Infinity
  }

  start(name: PeerName): void {
    if (this.trainers.get(name)?.isUp === true) return
    const { seed, settings = {}, memberOf = (...args) => new Member(...args) } = this.options
    const random = createRandom(seed, name, String(this.#processes++))
    const member = memberOf({ self: name, peers: this.names, settings, signer: testSigner(name), random }, this.now)
    const trainer: Trainer = new Trainer(
      name,
      member,
      this.#worldOf(name, () => trainer)
    )
    this.trainers.set(name, trainer)
    this.#tick(trainer)
  }

  /** Ends a process; unless it ends silently, the others are refused 0.4 s later. */
  kill(name: PeerName, isSilent = false): void {
    const trainer = this.trainers.get(name)
    if (trainer?.isUp !== true) return
    trainer.isUp = false
    if (isSilent) return
    for (const other of this.trainers.values()) {
      if (!other.isUp || this.network.isCut(name, other.name)) continue
      this.#do(other, 400, () => {
        if (this.trainers.get(name)?.isUp !== true) other.member.refused(name, this.now)
      })
    }
  }

  freeze(name: PeerName, length: Milliseconds): void {
    const trainer = this.trainers.get(name)
    if (trainer !== undefined) trainer.frozenUntil = Math.max(trainer.frozenUntil, this.now + length)
  }

  leave(name: PeerName): void {
    const trainer = this.trainers.get(name)
    if (trainer?.isUp !== true || !trainer.hasBegun) return
    trainer.member.leave(trainer.round, this.now)
    this.#flush(trainer)
    trainer.isUp = false
  }

  /** Runs something in a process, then sends its notes. */
  #do(trainer: Trainer, delay: Milliseconds, act: () => void) {
    this.network.later(trainer, this.now + delay, () => {
      act()
      trainer.continue()
      this.#flush(trainer)
    })
  }

  #tick(trainer: Trainer) {
    this.#do(trainer, 0, () => {
      trainer.tick()
      this.network.later(trainer, this.now + trainer.member.settings.tick, () => this.#tick(trainer))
    })
  }

  #worldOf(name: PeerName, trainerOf: () => Trainer): World {
    const { timeline, topology } = this
    const { work = 100, liar } = this.options
    return {
      get now() {
        return timeline.now
      },
      topology,
      workTime: () => work * (0.7 + 0.6 * this.random.uniform()),
      send: (to, message) => {
        if (name !== liar) this.#send(name, to, message)
      },
      later: (delay, act) => this.#do(trainerOf(), delay, act),
      struck: (peer, reason) => {
        if (peer !== liar && name !== liar) this.strikes.push(`${peer} by ${reason}`)
      }
    }
  }

  #flush(trainer: Trainer) {
    const { liar, tamper = (text: string) => text } = this.options
    for (const { to, note } of trainer.member.take()) {
      const text = trainer.name === liar ? tamper(note, this) : note
      this.#send(trainer.name, to, { kind: 'note', text })
    }
  }

  #send(from: PeerName, to: PeerName, message: Message) {
    this.network.send(from, to, message.kind === 'note', (process) => {
      if (process instanceof Trainer) this.#arrive(process, from, message)
    })
  }

  #arrive(trainer: Trainer, from: PeerName, message: Message) {
    if (message.kind === 'note') {
      const fault = trainer.member.receive(from, message.text, this.now)
      if (fault !== undefined) this.faults.push(`${from}: ${fault}`)
    } else trainer.receive(from, message)
    trainer.continue()
    this.#flush(trainer)
  }
}

/** A ring of all, with even weights. */
export function ringOf(peers: readonly PeerName[]): Topology {
  const count = peers.length
  return {
    peers,
    period: 1,
    mixing(peer) {
      const index = peers.indexOf(peer)
      const names = new Set([peers[(index + 1) % count], peers[(index + count - 1) % count]])
      const others = [...names].filter((name) => name !== peer).sort()
      const row = others.map((name) => ({ name, weight: 1 / (1 + others.length) }))
      return { selfWeight: 1 / (1 + others.length), receiveFrom: row, sendTo: row }
    }
  }
}
