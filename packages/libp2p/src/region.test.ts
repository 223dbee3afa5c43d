import test from 'ava'
import fc from 'fast-check'
import { Bell } from './bell.js'
import { Region } from './region.js'

const length = 6

/** Writes `values` from `offset` on into a version. Returns what kept it from that. */
function write(region: Region, version: number, offset: number, values: readonly number[], isLast = true) {
  const place = region.place(version, offset, values.length)
  if (typeof place === 'string') return place
  place.set(values)
  region.wrote(offset, values.length, isLast)
  return undefined
}

test('a version is seen when all of it is there, not before', (t) => {
  const region = new Region(length, new Bell())
  write(region, 1, 0, [1, 1], false)
  t.deepEqual([region.version, ...region.lend().vector], [0, 0, 0, 0, 0, 0, 0])
  region.release()
  write(region, 1, 2, [1, 1, 1, 1])
  t.deepEqual([region.version, ...region.lend().vector], [1, 1, 1, 1, 1, 1, 1])
})

test('numbers that a version does not write keep the values of the version before', (t) => {
  const region = new Region(length, new Bell())
  write(region, 1, 0, [1, 2, 3, 4, 5, 6])
  write(region, 2, 1, [20], false)
  write(region, 2, 4, [50])
  t.deepEqual([...region.lend().vector], [1, 20, 3, 4, 50, 6])
})

test('what is lent stays as it is; one more version can be written meanwhile, and no second', (t) => {
  let room = 0
  const region = new Region(length, new Bell(), () => room++)
  write(region, 1, 0, [1, 1, 1, 1, 1, 1])
  const { vector } = region.lend()
  region.lend()
  write(region, 2, 0, [2, 2, 2, 2, 2, 2])
  t.true(region.full)
  t.is(write(region, 3, 0, [3]), 'it writes while a version waits for the one before it')
  t.false(region.publish(3, new Float32Array(length)))
  region.release()
  t.deepEqual([region.version, ...vector, room], [1, 1, 1, 1, 1, 1, 1, 0])
  region.release()
  t.deepEqual([region.version, region.lend().vector[0], room], [2, 2, 1])
})

test('versions and places that cannot be are told', (t) => {
  const region = new Region(length, new Bell())
  write(region, 5, 0, [1, 1, 1, 1, 1, 1])
  t.is(write(region, 5, 0, [1]), 'version 5 after version 5')
  t.is(write(region, 6, 5, [1, 1]), 'numbers 5 to 6 of a region of 6')
  write(region, 6, 2, [1, 1], false)
  t.is(write(region, 6, 3, [1]), 'number 3 of version 6 is written twice')
  t.throws(() => new Region(1, new Bell()).release(), { message: /released more often/ })
})

test('a version of which a part could not be used is never seen, and the next one is', (t) => {
  const region = new Region(length, new Bell())
  write(region, 1, 0, [1, 1, 1, 1, 1, 1])
  region.place(2, 0, 2)
  region.spoil(0, 2, false)
  write(region, 2, 2, [2, 2, 2, 2])
  t.is(region.version, 1)
  write(region, 3, 0, [3])
  t.deepEqual([region.version, ...region.lend().vector], [3, 3, 1, 1, 1, 1, 1])
})

test('whatever is written and lent in whatever order, nobody ever sees parts of two versions', (t) => {
  const act = fc.oneof(
    fc.record({ write: fc.nat(2 * length), cut: fc.boolean() }),
    fc.constantFrom('lend' as const, 'release' as const)
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 100 }), (acts) => {
      const region = new Region(length, new Bell())
      const lent: { readonly version: number; readonly vector: Float32Array }[] = []
      let version = 0
      for (const each of acts) {
        if (each === 'lend') lent.push(region.lend())
        else if (each === 'release') {
          if (lent.pop() !== undefined) region.release()
        } else if (!region.full) {
          version++
          const split = Math.min(each.write, length - 1)
          const values = Array<number>(length).fill(version)
          if (split > 0) write(region, version, 0, values.slice(0, split), false)
          // Sometimes the connection is cut, and the rest never comes.
          if (!each.cut) write(region, version, split, values.slice(split))
        }
        for (const one of lent) t.true(one.vector.every((value) => value === one.version))
      }
    })
  )
})
