import { byName, type PeerName } from '@murmuration/core'
import { faultCount, type NeighbourStatus, type ReceiveFault } from '@murmuration/libp2p'
import type { SenderFaults } from '../../base/events.js'

/** The neighbours of peer `self` that were at fault. */
export function faultsSeenBy(
  self: PeerName,
  neighbours: readonly Pick<NeighbourStatus, 'name' | 'faults'>[]
): SenderFaults[] {
  return neighbours
    .filter(({ faults }) => faultCount(faults) > 0)
    .map(({ name, faults }) => ({ sender: name, to: [self], ...faults }))
}

/** The faults of each sender, summed over all peers that counted them; in the order of names. */
export function faultsBySender(seen: readonly SenderFaults[]): SenderFaults[] {
  const bySender = new Map<PeerName, SenderFaults>()
  for (const each of seen) {
    const sum = bySender.get(each.sender)
    bySender.set(each.sender, sum === undefined ? each : added(sum, each))
  }
  return [...bySender.values()].sort((left, right) => byName(left.sender, right.sender))
}

function added(left: SenderFaults, right: SenderFaults): SenderFaults {
  const kinds: Partial<Record<ReceiveFault, number>> = { ...left.kinds }
  for (const kind of Object.keys(right.kinds) as ReceiveFault[]) {
    kinds[kind] = (kinds[kind] ?? 0) + (right.kinds[kind] ?? 0)
  }
  return { sender: left.sender, to: [...left.to, ...right.to].sort(byName), kinds, cutOff: left.cutOff + right.cutOff }
}
