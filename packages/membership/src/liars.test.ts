/**
 * One liar among eight, with each kind of lie: no honest peer is dead, all end with the same knowledge, and rounds
 * continue.
 */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { lying, signedRecord, signedVote } from './liars.test.support.js'
import { maxNoteLength } from './notes.js'
import { Room } from './room.test.support.js'
import { Swarm } from './swarm.test.support.js'

const liar = peerName('p03')
const duration = 60_000
/** From then on the liar is honest, so that the peers' knowledge can be compared. */
const endOfLies = 56_000

const quiet = new Swarm({ seed: 1, count: 8 }).runUntil(duration)
const undisturbed = quiet.trainer(quiet.names[0]).rounds

for (const [title, tamper] of Object.entries(lying)) {
  test(`a liar that is ${title}: no honest peer is dead, knowledge is equal, three quarters of the rounds are kept`, (t) => {
    const swarm = new Swarm({
      seed: 1,
      count: 8,
      liar,
      tamper: (text, each) => (each.now < endOfLies ? tamper(text, each) : text)
    })
    for (let now = 1000; now <= duration; now += 1000) {
      swarm.runUntil(now)
      const dead = swarm.honest.flatMap(({ name, member }) =>
        swarm.honest.filter((other) => member.isDead(other.name)).map((other) => `${name}: ${other.name}`)
      )
      t.deepEqual(dead, [], `after ${now} ms`)
    }
    const known = swarm.honest.map(({ member }) =>
      JSON.stringify(
        swarm.names.map((name) => [
          member.lifeOf(name),
          member.recordOf(name)?.refutation,
          member.recordOf(name)?.status
        ])
      )
    )
    t.is(new Set(known).size, 1)
    t.deepEqual(swarm.strikes, [])
    const rounds = Math.min(...swarm.honest.map((trainer) => trainer.rounds))
    t.true(rounds >= 0.75 * undisturbed, `${rounds} of ${undisturbed} rounds`)
    t.log(`${rounds} of ${undisturbed} rounds`)
    t.is(swarm.faults.length > 0, title === 'forges', swarm.faults[0])
  })
}

const gossip = (content: object) =>
  JSON.stringify({ kind: 'gossip', number: 1, again: false, round: 0, samples: 0, records: [], votes: [], ...content })

test('a note that is malformed, too long, forged or about unknown peers is its sender’s fault, and changes nothing', (t) => {
  const room = new Room('abc').begin()
  const [a, b, c] = room.names
  const member = room.member('a')
  const record = room.member('b').recordOf(b)
  if (record === undefined) return t.fail('b has no record')
  const forged = { ...record, beat: record.beat + 1 }
  const vote = { ...signedVote({ voter: b, target: c, life: 1, refutation: 0 }), voter: c, target: b }
  const unknown = signedRecord({ ...record, name: peerName('x') }, {})
  const before = JSON.stringify([member.recordOf(b), member.votes])
  for (const [note, fault] of [
    ['{', /malformed/],
    ['[]', /malformed/],
    [JSON.stringify({ kind: 'shout' }), /malformed/],
    [gossip({ records: [{ ...record, life: -1 }] }), /malformed.*/],
    [gossip({ records: [{ ...record, life: 1e300 }] }), /malformed.*/],
    [gossip({ records: [{ ...record, broken: Array.from({ length: 9 }, () => a) }] }), /malformed/],
    [gossip({ more: 1 }), /malformed/],
    ['x'.repeat(maxNoteLength + 1), /16385 characters/],
    [gossip({ records: [forged] }), /forged record of b/],
    [gossip({ votes: [vote] }), /forged vote of c/],
    [gossip({ records: [unknown] }), /"x", which is not in the peer list/],
    [JSON.stringify({ kind: 'probe', target: 'x', nonce: 1 }), /"x", which is not in the peer list/]
  ] as const) {
    t.regex(member.receive(b, note, room.now) ?? 'no fault', fault)
  }
  t.is(JSON.stringify([member.recordOf(b), member.votes]), before)
  t.is(member.receive(b, gossip({ records: [record] }), room.now), undefined)
})
