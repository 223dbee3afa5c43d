import { type NoteListener, peerName, type Topology } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import test from 'ava'
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

test('notes about a training that has not begun here are no fault of their sender', (t) => {
  const listeners: NoteListener[] = []
  const fabric: MembersFabric = {
    self: a,
    random: createRandom(1, 'a'),
    signal: new AbortController().signal,
    now: () => 0,
    tell: () => {},
    listen: (listener) => void listeners.push(listener),
    sleep: () => Promise.resolve(),
    wake: () => {},
    spawn: () => {}
  }
  const members = new Members(fabric, { topology, signer: trustingSigner, wait: { start: 1000, pause: 1000 } })
  const [{ note }] = listeners
  const early = ['E{"kind":"news","epoch":0}', 'gap [0,1,1,1,1,1]', 'sketch 1']
  for (const text of early) t.is(note(b, text), undefined, text)
  t.regex(String(note(b, '{}')), /a malformed note/)
  members.attend({ progress: () => ({ round: 0, waitsFor: [] }) as never, isMine: () => false, take: () => undefined })
  t.regex(String(note(b, early[0])), /a malformed note/)
})
