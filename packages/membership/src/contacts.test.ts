/** The contacts of peers of a large swarm, and which of them vote. */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { Contacts } from './contacts.js'
import { Room } from './room.test.support.js'

const names = 'abcdefghijklmnopqrstuvwx'
const peers = [...names].map(peerName)
const [, , , , , , , h] = peers

test('contacts are mutual and connect all, whichever peers are gone', (t) => {
  for (const gone of ['', 'h', 'aeiouh', names.slice(4)].map((text) => new Set(text))) {
    const here = peers.filter((peer) => !gone.has(peer))
    const contacts = new Map(here.map((peer) => [peer, new Contacts(peers, peer).of((other) => gone.has(other))]))
    const reached = new Set(here.slice(0, 1))
    for (const peer of reached) for (const other of contacts.get(peer)?.all ?? []) reached.add(other)
    t.is(reached.size, here.length)
    for (const [peer, { all, quick }] of contacts) {
      t.true([...all].every((other) => contacts.get(other)?.all.has(peer)))
      t.true([...quick].every((other) => all.has(other) && contacts.get(other)?.quick.has(peer)))
      t.true(all.size <= 8 && quick.size <= 4)
    }
  }
})

test('of many peers that a dead peer refuses, few vote, and all know it', (t) => {
  const room = new Room(names).begin()
  room.end('h')
  for (const member of room.members.values()) member.refused(h, room.now)
  room.run(1500)
  const voters = new Set([...room.members.values()].flatMap(({ votes }) => votes.map(({ voter }) => voter)))
  t.true(voters.size >= 2 && voters.size <= 4, [...voters].join())
  for (const member of room.members.values()) t.true(member.isDead(h))
})

test('where those that would vote at once say nothing, the other contacts do', (t) => {
  const room = new Room(names).begin()
  const { quick } = new Contacts(peers, h).of(() => false)
  for (const peer of ['h', ...quick]) room.end(peer)
  for (const member of room.members.values()) member.refused(h, room.now)
  room.run(6000)
  for (const member of room.members.values()) t.true(member.isDead(h))
})
