import test from 'ava'
import { CounterRandom } from './index.js'

test('draws by index do not depend on the order of access, and differ by index and by key', (t) => {
  const some = (key: number, major: number, minor: number) => {
    const draws = new CounterRandom(key).at(major, minor)
    return Array.from({ length: 20 }, () => draws.next())
  }
  t.deepEqual(some(7, 3, 5), some(7, 3, 5))
  const first = [some(7, 3, 5), some(7, 3, 6), some(7, 4, 5), some(8, 3, 5)].map(([number]) => number)
  t.is(new Set(first).size, 4)
  t.deepEqual(some(1, 0, 0).slice(0, 2), [2317529112, 1004244359])
})

test('draws by place are even: the first ones of neighbouring places, and those of one place', (t) => {
  const draws = new CounterRandom(12)
  const ofPlaces = Array.from({ length: 20_000 }, (_, n) => draws.at(n % 5000, Math.floor(n / 5000)).below(10))
  draws.at(1, 1)
  const ofOne = Array.from({ length: 20_000 }, () => draws.below(10))
  for (const all of [ofPlaces, ofOne])
    for (let digit = 0; digit < 10; digit++) {
      const count = all.filter((each) => each === digit).length
      t.true(Math.abs(count - 2000) < 200, `${digit}: ${count}`)
    }
})
