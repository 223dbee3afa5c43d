import { createRandom } from '@murmuration/random'
import test from 'ava'
import { drawFault } from './faults.js'

const draw = (seed: number, count: number) => {
  const random = createRandom(seed, 'weather')
  return Array.from({ length: count }, () => drawFault(random))
}

test('a seed gives the same faults again, another seed others', (t) => {
  t.deepEqual(draw(7, 50), draw(7, 50))
  t.notDeepEqual(draw(7, 50), draw(8, 50))
})

test('there are faults of every kind, freezes last 1 to 3 s, and bytes are counted from 1', (t) => {
  const faults = draw(3, 2000)
  t.deepEqual([...new Set(faults.map(({ kind }) => kind))].sort(), [
    'cut',
    'cut-after',
    'cut-again',
    'freeze',
    'half-close'
  ])
  const durations = faults.flatMap((fault) => (fault.kind === 'freeze' ? [fault.duration] : []))
  t.true(Math.min(...durations) >= 1000 && Math.max(...durations) <= 3000)
  const bytes = faults.flatMap((fault) => ('bytes' in fault ? [fault.bytes] : []))
  t.is(Math.min(...bytes), 1)
  t.true(Math.max(...bytes) > 2 ** 24 && Math.max(...bytes) <= 2 ** 26)
})
