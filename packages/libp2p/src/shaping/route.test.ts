import { type Links, type PathLink, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { capOf, routeOf } from './route.js'

const [a, b] = ['a', 'b'].map(peerName)
const free: PathLink = { latency: 0, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity, pipes: [] }

function linksWith(path: Partial<PathLink>, down = Infinity): Links {
  return { access: () => ({ up: Infinity, down }), path: () => ({ ...free, ...path }) }
}

test('the cap is the minimum of bandwidth, the receiver’s access link, window per round trip, and the limit by loss', (t) => {
  t.is(capOf(linksWith({}), a, b), Infinity)
  t.is(capOf(linksWith({ bandwidth: 8e6 }), a, b), 1000)
  t.is(capOf(linksWith({ bandwidth: 8e6 }, 4e6), a, b), 500)
  t.is(capOf(linksWith({ latency: 50, window: 65_536 }), a, b), 655.36)
  // 1448 bytes · √1.5 / (100 ms · √0.01) = 177.34 bytes per millisecond.
  t.true(Math.abs(capOf(linksWith({ latency: 50, loss: 0.01 }), a, b) - 177.343) < 1e-3)
})

test('jitter is drawn evenly between the latency and the latency and jitter', (t) => {
  const route = routeOf(linksWith({ latency: 20, jitter: 10 }), a, b, createRandom(1))
  const draws = Array.from({ length: 1000 }, () => route.delay())
  t.true(draws.every((delay) => delay >= 20 && delay < 30))
  const mean = draws.reduce((total, delay) => total + delay, 0) / draws.length
  t.true(Math.abs(mean - 25) < 0.5)
})

test('loss only lowers the cap: it adds no delay', (t) => {
  const route = routeOf(linksWith({ latency: 10, loss: 0.1 }), a, b, createRandom(1))
  t.true(route.cap < Infinity)
  for (let k = 0; k < 100; k++) t.is(route.delay(), 10)
})
