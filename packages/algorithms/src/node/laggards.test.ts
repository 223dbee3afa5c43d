import { peerName } from '@murmuration/core'
import test from 'ava'
import { Laggards } from './laggards.js'

const [a, b] = ['a', 'b'].map(peerName)

test('a peer that never ends comes nearer to the end only so often', (t) => {
  const laggards = new Laggards(600, 8)
  let times = 0
  for (let round = 0; round < 2000; round++) if (laggards.comeNearer([{ name: a, round }])) times++
  for (let round = 0; round < 2000; round++) if (laggards.comeNearer([{ name: a, round }])) times++
  t.is(times, 16)
  t.true(laggards.comeNearer([{ name: b, round: 590 }]))
  t.false(laggards.comeNearer([{ name: b, round: 590 }]))
})
