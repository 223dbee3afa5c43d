/** The records that other peers report of themselves. */
import type { PeerName } from '@murmuration/core'
import type { Member, PeerRecord } from '@murmuration/membership'
import { Laggards } from './laggards.js'

/** The records of the contacts that are present. */
export function recordsOfContacts(member: Member, self: PeerName): readonly PeerRecord[] {
  const contacts = new Set(member.contacts)
  return othersPresent(member, self).filter(({ name }) => contacts.has(name))
}

/** The records of the others that are present and have not finished. */
export function unfinished(member: Member, self: PeerName): readonly PeerRecord[] {
  return othersPresent(member, self).filter(({ status }) => status === 'here' || status === 'joining')
}

function othersPresent(member: Member, self: PeerName): readonly PeerRecord[] {
  return member.present.filter((peer) => peer !== self).flatMap((peer) => member.recordOf(peer) ?? [])
}

/**
 * The others that have not reached `end`, with the rounds that they report.
 *
 * @param every - how many rounds lie between two exchanges
 */
export function laggardsOf(member: Member, end: number, every = 1): Laggards {
  return new Laggards(end, member.settings.lag * every, (peer) => member.recordOf(peer)?.round ?? 0)
}
