/** The records that other peers report of themselves. */
import type { PeerName } from '@murmuration/core'
import type { Member, PeerRecord } from '@murmuration/membership'

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
