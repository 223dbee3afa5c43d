/** Notes are parsed once for all that share a peer list, and malformed ones are refused. */
import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { recordFor } from './explore.test.support.js'
import { signedVote } from './liars.test.support.js'
import { NoteReader } from './note-reader.js'
import type { GossipNote } from './notes.js'
import { OwnRecord } from './own-record.js'
import { trustingSigner } from './trusting-signer.js'

const peers = ['a', 'b', 'c'].map(peerName)
const [a, b, c] = peers
const vote = signedVote({ voter: a, target: b, life: 1, refutation: 0 })

function noteOf(number: number, records: readonly unknown[], votes: readonly unknown[] = []): string {
  const texts = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join()
  const head = `{"kind":"gossip","number":${number},"again":false,"round":4,"samples":32,`
  return `${head}"records":[${texts(records)}],"votes":[${texts(votes)}]}`
}

function read(reader: NoteReader, text: string): GossipNote {
  const note = reader.read(text)
  if (typeof note === 'string' || note.kind !== 'gossip') throw new Error(String(note))
  return note
}

test('the same record or vote is the same object, in whatever note it arrives, for all that share a peer list', (t) => {
  const record = new OwnRecord(a, trustingSigner, 0).record
  const other = new OwnRecord(c, trustingSigner, 0).record
  const first = read(NoteReader.of(peers), noteOf(1, [record, other], [vote]))
  const second = read(NoteReader.of(peers), noteOf(7, [other, record], [vote]))
  const head = { kind: 'gossip', number: 1, again: false, round: 4, samples: 32 } as const
  t.deepEqual(first, { ...head, records: [record, other], votes: [vote] })
  t.is(second.records[0], first.records[1])
  t.is(second.records[1], first.records[0])
  t.is(second.votes[0], first.votes[0])
  t.not(NoteReader.of([...peers]), NoteReader.of(peers))
})

test('what is written in another way says the same', (t) => {
  const text = noteOf(3, [recordFor(a)], [vote])
  const apart = JSON.stringify(JSON.parse(text), undefined, 1)
  const turned = JSON.stringify({
    votes: [vote],
    records: [recordFor(a)],
    samples: 32,
    round: 4,
    again: false,
    number: 3,
    kind: 'gossip'
  })
  for (const same of [apart, turned]) t.deepEqual(read(new NoteReader(peers), same), read(new NoteReader(peers), text))
})

const known = noteOf(1, [recordFor(a)], [vote])
const bad: Readonly<Record<string, string>> = {
  'a record cut short': known.replace('"votes"', '"votez"'),
  'a record with a field too many': noteOf(1, [{ ...recordFor(a), more: 1 }]),
  'a record about nobody': noteOf(1, [recordFor(a, { name: 'z' as PeerName })]),
  'a vote for nobody': noteOf(1, [], [{ ...vote, voter: 'z' }]),
  'a record after a comma too many': known.replace('"records":[', '"records":[,'),
  'a list that is closed twice': known.replace(']}', ']]}'),
  'something after the note': `${known}]}`,
  'a number with a sign': known.replace('"number":1', '"number":-1'),
  'a text with braces in a signature': noteOf(1, [recordFor(a, { signature: '},{' }), { name: 'b' }])
}

for (const [title, text] of Object.entries(bad)) {
  test(`it is said that a note is malformed which has ${title}, also after good ones`, (t) => {
    const reader = new NoteReader(peers)
    const before = reader.read(text)
    t.is(typeof before, 'string')
    read(reader, known)
    t.is(reader.read(text), before)
  })
}

test('braces and brackets within a signature are part of it', (t) => {
  const record = recordFor(b, { signature: '},{"],"votes":[' })
  const note = read(new NoteReader(peers), noteOf(1, [record, recordFor(a)], [vote]))
  t.is(note.records[0].signature, record.signature)
  t.is(note.records.length, 2)
})

test('of many items those that were read lately are kept', (t) => {
  const reader = new NoteReader([a])
  const beat = (count: number) => new OwnRecord(a, { ...trustingSigner, sign: () => String(count) }, 0).record
  const first = read(reader, noteOf(1, [beat(0)])).records[0]
  for (let count = 1; count < 300; count++) {
    read(reader, noteOf(1, [beat(count)]))
    t.is(read(reader, noteOf(1, [beat(0)])).records[0], first)
  }
  for (let count = 300; count < 1000; count++) read(reader, noteOf(1, [beat(count)]))
  t.not(read(reader, noteOf(1, [beat(0)])).records[0], first)
})
