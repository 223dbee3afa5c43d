import { type PeerName, shortList } from '@murmuration/core'
import type { EpochEvent } from './events.js'

/** An epoch that has begun, as a sentence: who is gone or has come, who continues where, and from whose models. */
export function epochText({ peer, epoch, round, members, servers, givers, lost, joined, seconds }: EpochEvent): string {
  const clauses = [
    ...clause(without(lost, joined), 'is gone', 'are gone'),
    ...clause(both(lost, joined), 'has started again', 'have started again'),
    ...clause(without(joined, lost), 'joins', 'join')
  ]
  const changes = clauses.length === 0 ? '' : `${clauses.join(', ')}; `
  const continued = `${shortList(members)} ${members.length === 1 ? 'continues' : 'continue'} in round ${round + 1}`
  const serving = clause(servers, 'serves', 'serve').map((text) => `; ${text}`)
  const end = `${serving.join('')} (${seconds.toFixed(1)} s)`
  return `${peer}: epoch ${epoch}: ${changes}${continued} with ${modelText(members, givers)}${end}`
}

/** From whose models all continue. */
function modelText(members: readonly PeerName[], givers: readonly PeerName[]): string {
  if (givers.length === 1) return members.length === 1 ? 'its model' : `the model of ${givers[0]}`
  const isOfAll = members.every((member) => givers.includes(member))
  return isOfAll ? 'the mean of their models' : `the mean of the models of ${shortList(givers)}`
}

/** What some peers do, in words; nothing without peers. */
function clause(peers: readonly PeerName[], one: string, several: string): readonly string[] {
  return peers.length === 0 ? [] : [`${shortList(peers)} ${peers.length === 1 ? one : several}`]
}

const both = (peers: readonly PeerName[], others: readonly PeerName[]) => peers.filter((peer) => others.includes(peer))

const without = (peers: readonly PeerName[], others: readonly PeerName[]) =>
  peers.filter((peer) => !others.includes(peer))
