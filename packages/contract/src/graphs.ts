import { byName, type Mixing, type PeerName, peerName, type Topology } from '@murmuration/core'

/** The complete graph with even weights. */
export function complete(...names: readonly string[]): Topology {
  return even(names, () => true)
}

/** Each peer with the previous and the next. */
export function ring(...names: readonly string[]): Topology {
  const last = names.length - 1
  return even(names, (distance) => distance === 1 || distance === last)
}

/** Each peer's neighbours are the peers at certain distances, with even weights. */
function even(names: readonly string[], isLinked: (distance: number) => boolean): Topology {
  const peers = names.map(peerName).sort(byName)
  const mixing = (peer: PeerName): Mixing => {
    const index = peers.indexOf(peer)
    if (index < 0) throw new RangeError(`"${peer}" is not a peer of this topology`)
    const names = peers.filter((_, other) => other !== index && isLinked(Math.abs(other - index)))
    const weight = 1 / (names.length + 1)
    const others = names.map((name) => ({ name, weight }))
    return { selfWeight: weight, receiveFrom: others, sendTo: others }
  }
  return { peers, period: 1, mixing }
}
