import { type NoteListener, peerName, type Topology } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { MemberNotes } from './member-notes.js'
import { Members } from './members.js'
import type { MembersFabric } from './members-options.js'

const [a, b] = ['a', 'b'].map(peerName)
const topology: Topology = {
  peers: [a, b],
  period: 1,
  mixing: (self) => {
    const neighbours = [{ name: self === a ? b : a, weight: 0.5 }]
    return { selfWeight: 0.5, receiveFrom: neighbours, sendTo: neighbours }
  }
}

/** The fabric of "a", which keeps what it is given. */
function fabricOfTest() {
  const listeners: NoteListener[] = []
  const told: string[] = []
  const fabric: MembersFabric = {
    self: a,
    random: createRandom(1, 'a'),
    signal: new AbortController().signal,
    now: () => 0,
    tell: (_to, note) => void told.push(note),
    listen: (listener) => void listeners.push(listener),
    sleep: () => Promise.resolve(),
    wake: () => {},
    spawn: () => {}
  }
  return { fabric, listeners, told }
}

test('notes about a training that has not begun here are no fault of their sender', (t) => {
  const { fabric, listeners } = fabricOfTest()
  const members = new Members(fabric, { topology, signer: trustingSigner, wait: { start: 1000, pause: 1000 } })
  const [{ note }] = listeners
  const early = ['E{"kind":"news","epoch":0}', 'gap [0,1,1,1,1,1]', 'sketch 1']
  for (const text of early) t.is(note(b, text), undefined, text)
  t.regex(String(note(b, '{}')), /a malformed note/)
  members.attend({ progress: () => ({ round: 0, waitsFor: [] }) as never, isMine: () => false, take: () => undefined })
  t.regex(String(note(b, early[0])), /a malformed note/)
})

test('what a key signs later is told then, the last record of a peer too', async (t) => {
  const { fabric, told } = fabricOfTest()
  const sign = async (text: string) => trustingSigner.sign(text)
  const options = { topology, signer: { ...trustingSigner, sign }, wait: { start: 1000, pause: 1000 } }
  const notes = new MemberNotes(fabric, options, () => null)
  const next = () => new Promise((resolve) => setImmediate(resolve))
  await next()
  notes.begin(0)
  await next()
  t.regex(told.at(-1) ?? '', /"status":"here"/)
  notes.leave(3)
  t.notRegex(told.at(-1) ?? '', /"status":"left"/)
  await next()
  t.regex(told.at(-1) ?? '', /"status":"left"/)
})
