import { InputError, peerName } from '@murmuration/core'
import { parseTopologyFile } from '@murmuration/files'
import test from 'ava'
import { checkMemory, leastMemory, memoryOf, roomIn } from './memory.js'

const sgd = { optimiser: { name: 'sgd', momentum: 0 } } as never
const file = parseTopologyFile(
  'graph: ring\npeers: [{ name: a, memory: 300 MB }, { name: b, memory: 2 GB }, c]',
  't.yaml'
)

test('room and memory are two sides of one rule; neighbours and optimisers take more', (t) => {
  for (const isNear of [false, true]) t.true(Math.abs(memoryOf(roomIn(1e9, isNear, sgd) / 4, isNear, sgd) - 1e9) < 1)
  t.true(memoryOf(1e6, true, sgd) > memoryOf(1e6, false, sgd))
  t.true(memoryOf(1e6, false, { optimiser: { name: 'adam' } } as never) > memoryOf(1e6, false, sgd))
  t.is(roomIn(100e6, false, sgd), 0)
})

test('a peer without room for a model is refused, with the stages that would fit', (t) => {
  const check = (peer: string, own: number) =>
    checkMemory({ file, training: sgd, path: 't.yaml' }, peerName(peer), { own, all: own })
  t.is(leastMemory(file), 300e6)
  t.notThrows(() => check('b', 25e6))
  t.notThrows(() => check('c', 1e9))
  t.notThrows(() => check('a', 1e6))
  t.throws(() => check('a', 25e6), {
    instanceOf: InputError,
    message:
      't.yaml: a has 300 MB of memory, and 25,000,000 parameters take at least 1,500 MB: cut the model into stages, at least 9'
  })
})
