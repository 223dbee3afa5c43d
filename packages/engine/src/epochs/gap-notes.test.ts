import { type GapPart, peerName, type PeerName, type StepReport } from '@murmuration/core'
import test from 'ava'
import { gapOf } from '../driver/gap.js'
import { noEpoch } from './epoch.js'
import { GapNotes, isGapNote } from './gap-notes.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const members = [a, b].map((name) => ({ name, life: 1, samples: 1 }))
const first = { ...noEpoch, number: 0, members }
const part = (value: number): GapPart => ({ value, slope: 1, curvature: 0.5, spread: 0.04 })
const report = (round: number, gapPart?: GapPart) => ({ round, phase: 'train', gapPart }) as StepReport

function notesOf(self: PeerName, rounds = 10) {
  const told: (readonly [to: PeerName, note: string])[] = []
  return {
    told,
    notes: new GapNotes(
      self,
      rounds,
      () => 0.5,
      (to, note) => told.push([to, note])
    )
  }
}

test('the gap is known of the newest round of which all members have told their parts', (t) => {
  const [ofA, ofB] = [notesOf(a), notesOf(b)]
  t.is(ofA.notes.after(report(0, part(1)), first), undefined)
  t.is(ofB.notes.after(report(0, part(3)), first), undefined)
  t.deepEqual(
    ofB.told.map(([to]) => to),
    [a]
  )
  t.true(isGapNote(ofB.told[0][1]))
  t.is(ofA.notes.take(b, ofB.told[0][1]), undefined)
  const expected = gapOf([part(1), part(3)], 0.5)
  t.is(ofA.notes.after(report(1, part(5)), first), expected, 'of round 0')
  t.is(ofA.notes.after(report(2), first), expected, 'of round 0, where a peer does not know its part')
  t.is(ofA.notes.after(report(3, part(1)), { ...first, number: 1 }), undefined, 'nothing of another epoch')
})

test('a part is told forty times in a run', (t) => {
  const { notes, told } = notesOf(a, 400)
  for (let round = 0; round < 400; round++) notes.after(report(round, part(1)), first)
  t.is(told.length, 40)
})

test('a malformed part is a fault, and one of another epoch is dropped', (t) => {
  const { notes } = notesOf(a)
  for (const text of [
    '',
    '{}',
    '[0,0,1,1,1]',
    '[0,0,1,1,1,1,1]',
    '[0,0,1,-1,1,1]',
    '[0,0.5,1,1,1,1]',
    '[0,0,null,1,1,1]'
  ])
    t.is(notes.take(b, `gap ${text}`), 'a malformed part of the duality gap', text)
  t.is(notes.take(b, 'gap [7,0,1,1,1,1]'), undefined)
  t.is(notes.take(c, 'gap [0,0,1,1,1,1]'), undefined)
  t.is(notes.after(report(0, part(1)), first), undefined)
})
