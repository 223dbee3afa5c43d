import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { linesAmong, stagesWithout } from './lines-among.js'

const named = (names: string) => names.split(' ').map((line) => [...line].map(peerName))
const among = (names: string, gone: string) =>
  linesAmong(named(names), (peer: PeerName) => !gone.includes(peer))
    ?.map((line) => line.join(''))
    .join(' ')

test('the next replica of a stage takes the place of one that is gone, and of several the one with the fewest lines', (t) => {
  t.is(among('abc def', ''), 'abc def')
  t.is(among('abc def', 'b'), 'aec def')
  t.is(among('abc def', 'ec'), 'abf dbf')
  t.is(among('ab cd ef gh', 'ac'), 'eb gd ef gh')
  t.is(among('ab cd ef gh', 'ace'), 'gb gd gf gh')
  t.is(among('ab cd ef gh', 'gh'), 'ab cd ef ab')
})

test('there are no lines where nobody has a stage', (t) => {
  t.is(among('abc def', 'be'), undefined)
  t.deepEqual(
    stagesWithout(named('abc def'), (peer) => !'bef'.includes(peer)),
    [1]
  )
})
