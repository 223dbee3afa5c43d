import test from 'ava'
import { LinkSpeed } from './link-speed.js'

test('the speed is the best of the last eight vectors, and the period a running mean of the times between them', (t) => {
  const speed = new LinkSpeed()
  t.is(speed.bytesPerMillisecond, undefined)
  t.is(speed.timeFor(1000), 0)
  speed.began(0)
  t.is(speed.period, Number.POSITIVE_INFINITY)
  speed.acknowledged(1000, 10)
  speed.acknowledged(1000, 40)
  speed.acknowledged(1000, 0)
  t.is(speed.bytesPerMillisecond, 100)
  t.is(speed.timeFor(500), 5)
  for (let k = 0; k < 8; k++) speed.acknowledged(1000, 40)
  t.is(speed.bytesPerMillisecond, 25)
  speed.began(100)
  speed.began(300)
  t.is(speed.period, 125)
})
