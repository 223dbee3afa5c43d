import type { Mixing, PeerName, Topology, WeightedPeer } from '@murmuration/core'
import { type Member, repairedRow } from '@murmuration/membership'

/** At most this many rounds of a changing graph are checked: the longest period that files allow. */
const longestPeriod = 64

/** One peer's rows of W, restricted to the usable members. */
export class MemberRows {
  readonly #member: Member
  readonly #topology: Topology
  readonly #self: PeerName
  #last: { readonly neighbours: string; readonly mixing: Mixing } | undefined

  /** @param topology - as in the file, of all peers */
  constructor(member: Member, topology: Topology, self: PeerName) {
    this.#member = member
    this.#topology = topology
    this.#self = self
  }

  /**
   * The row of a round. It is the topology's own where all of its neighbours are usable. Otherwise it bypasses those
   * that are not, and all its offers are equal. Rows with the same neighbours are the same object. A peer that keeps
   * this one out of its own row is not in it: it would send nothing.
   *
   * @param at - the round that its peers must have reached: peers that begin a new life do so in a later round
   */
  of(round: number, at = round): Mixing {
    const member = this.#member
    return this.#without((peer) => member.isLate(peer) || member.isLeftOutBy(peer), round, at)
  }

  /** The peers that it would exchange with from this round on, were none late. */
  neighbours(round: number): readonly PeerName[] {
    const names = new Set<PeerName>()
    for (let ahead = 0; ahead < Math.min(this.#topology.period, longestPeriod); ahead++) {
      const { receiveFrom, sendTo } = this.#without(() => false, round + ahead, round + ahead)
      for (const { name } of [...receiveFrom, ...sendTo]) names.add(name)
    }
    return [...names]
  }

  #without(isOut: (peer: PeerName) => boolean, round: number, at: number): Mixing {
    const member = this.#member
    const filed = this.#topology.mixing(this.#self, round)
    const isUsable = (peer: PeerName) => member.isUsable(peer, at)
    const row = repairedRow(this.#topology, this.#self, round, isUsable, member.brokenPairs)
    const isAnyOut = (peers: readonly WeightedPeer[]) => peers.some(({ name }) => isOut(name))
    if (row === filed && !isAnyOut(row.receiveFrom) && !isAnyOut(row.sendTo)) return filed
    const rest = (peers: readonly WeightedPeer[]) => peers.map(({ name }) => name).filter((name) => !isOut(name))
    return this.#offering(rest(row.receiveFrom), rest(row.sendTo))
  }

  /**
   * Whether others are in this round, and this peer exchanges with none of them in this round or the following ones:
   * they were late, or an exchange with them is open. Where the graph changes by round, a peer without neighbours in a
   * single round continues; so does one that the others keep out, in order to be where they are once they take it in
   * again. Peers that begin a new life in a later round are not waited for: they would wait for this peer there.
   */
  isAlone(round: number): boolean {
    const { peers, period } = this.#topology
    for (let ahead = 0; ahead < Math.min(period, longestPeriod); ahead++) {
      const { receiveFrom, sendTo } = this.#without((peer) => this.#member.isLate(peer), round + ahead, round + ahead)
      if (receiveFrom.length + sendTo.length > 0) return false
    }
    return peers.some(
      (peer) => peer !== this.#self && this.#member.present.includes(peer) && this.#member.isUsable(peer, round)
    )
  }

  /** Equal offers, which sum to 1 with the peer's own weight. */
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
