import { peerName } from '@murmuration/core'
import test from 'ava'
import { Laggards } from './laggards.js'

const [a, b] = ['a', 'b'].map(peerName)

test('a peer that never ends comes nearer to the end only so often', (t) => {
  const rounds = new Map([[a, 0]])
  const laggards = new Laggards(600, 8, (peer) => rounds.get(peer) ?? 0)
  const tell = (peer: typeof a, round: number) => {
    rounds.set(peer, round)
    return laggards.noteProgress([peer])
  }
  let times = 0
  for (let round = 0; round < 2000; round++) if (tell(a, round)) times++
  for (let round = 0; round < 2000; round++) if (tell(a, round)) times++
  t.is(times, 16)
  t.true(tell(b, 590))
  t.false(tell(b, 590))
  t.is([a, b].filter((peer) => laggards.hasEnded(peer)).join(''), 'a')
})
