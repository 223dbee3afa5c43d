import test from 'ava'
import { placeToFree } from './place-to-free.js'

/** Places in order of arrival, written as their holders; one in capitals is in use. */
const places = (holders: string) =>
  [...holders].map((text, index) => ({ holder: text.toLowerCase(), isIdle: text === text.toLowerCase(), index }))

for (const [holders, expected, reason] of [
  ['abbb', 1, 'the oldest of the holder with most'],
  ['aBbb', 2, 'an idle one rather than an older one in use'],
  ['aBBB', 1, 'the oldest when all of that holder are in use, not the idle one of another'],
  ['Abcd', 1, 'the oldest idle one of all when every holder has one'],
  ['ABCd', 3, 'the new one when every other is in use'],
  ['aabb', 0, 'the oldest of two equal holders']
] as const) {
  test(`the place to free is ${reason}`, (t) => {
    t.is(placeToFree(places(holders))?.index, expected)
  })
}

test('without places there is none to free', (t) => t.is(placeToFree([]), undefined))
