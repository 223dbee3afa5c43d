import test from 'ava'
import { SmallList } from './small-list.js'

test('a small list grows beyond its room, and what it has lost is not kept', (t) => {
  const list = new SmallList<string>(2)
  for (const item of ['a', 'b', 'c']) list.push(item)
  list.delete(0)
  t.deepEqual([list.size, list.at(0), list.at(1), list.at(2)], [2, 'b', 'c', undefined])
  list.truncate(1)
  t.deepEqual([list.size, list.at(0), list.at(1)], [1, 'b', undefined])
  list.set(3, 'd')
  list.push('e')
  t.deepEqual([list.size, list.at(2), list.at(3), list.at(4)], [5, undefined, 'd', 'e'])
})
