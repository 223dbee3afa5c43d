import type { Mixing, PeerName, Topology, WeightedPeer } from '@murmuration/core'
import { type Member, repairedRow } from '@murmuration/membership'

/** So many rounds of a graph that changes are looked at; the longest period that files draw. */
const longestPeriod = 64

/** One peer's rows of W, among the members that can be used. */
export class MemberRows {
  readonly #member: Member
  readonly #topology: Topology
  readonly #self: PeerName
  #last: { readonly neighbours: string; readonly mixing: Mixing } | undefined

  /** @param topology - as the file has it, of all peers */
  constructor(member: Member, topology: Topology, self: PeerName) {
    this.#member = member
    this.#topology = topology
    this.#self = self
  }

  /**
   * The row of a round. It is the topology's own where all of its neighbours can be used; otherwise it goes past those that cannot, and all its
   * offers are equal. Rows with the same neighbours are the same object.
   *
   * @param at - how far those have to have come that are in it: peers that begin anew do so in a later round
   */
  of(round: number, at = round): Mixing {
    const member = this.#member
    const filed = this.#topology.mixing(this.#self, round)
    const isUsable = (peer: PeerName) => member.isUsable(peer, at)
    const row = repairedRow(this.#topology, this.#self, round, isUsable, member.brokenPairs)
    if (row === filed && !this.#isAnyLate(row.receiveFrom) && !this.#isAnyLate(row.sendTo)) return filed
    return this.#offering(this.#punctual(row.receiveFrom), this.#punctual(row.sendTo))
  }

  /**
   * Whether others are in this round, and this peer exchanges with none of them in this round or those that follow: they were late, or what was
   * sent to them is open. Where the graph changes by round, one that has nobody in a single round goes on.
   * Those that begin anew in a later round are not waited for: they would wait for this peer there.
   */
  isAlone(round: number): boolean {
    const { peers, period } = this.#topology
    for (let ahead = 0; ahead < Math.min(period, longestPeriod); ahead++) {
      const { receiveFrom, sendTo } = this.of(round + ahead)
      if (receiveFrom.length + sendTo.length > 0) return false
    }
    return peers.some(
      (peer) => peer !== this.#self && this.#member.present.includes(peer) && this.#member.isUsable(peer, round)
    )
  }

  #isAnyLate(peers: readonly WeightedPeer[]): boolean {
    return peers.some(({ name }) => this.#member.isLate(name))
  }

  /** Without those that were late. */
  #punctual(peers: readonly WeightedPeer[]): readonly PeerName[] {
    return peers.map(({ name }) => name).filter((name) => !this.#member.isLate(name))
  }

  /** Equal offers, which sum with one's own weight to 1. */
  #offering(receiveFrom: readonly PeerName[], sendTo: readonly PeerName[]): Mixing {
    const neighbours = `${receiveFrom.join()} ${sendTo.join()}`
    if (this.#last?.neighbours === neighbours) return this.#last.mixing
    const offer = 1 / (1 + Math.max(receiveFrom.length, sendTo.length))
    const offered = (peers: readonly PeerName[]) => peers.map((name) => ({ name, weight: offer }))
    const selfWeight = 1 - offer * receiveFrom.length
    const mixing = { selfWeight, receiveFrom: offered(receiveFrom), sendTo: offered(sendTo), offer }
    this.#last = { neighbours, mixing }
    return mixing
  }
}
