/** libp2p's helpers for length-prefixed messages accept 4 MiB; models are larger, and may have very many tensors. */
import { lpStream } from '@libp2p/utils'
import { timeLimit } from '@murmuration/contract'
import { InputError, peerName, RefusedError, type Schema } from '@murmuration/core'
import test from 'ava'
import { controlBytes } from '../base/constants.js'
import { testNode, connectAll, testCluster, graph, peerListOf } from '../cluster.test.support.js'
import { barePair, MiB } from './bare.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo } from './exchange.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const edge = graph(['a', 'b'])

/** A schema of `tensors` tensors of one number. */
const schemaOfMany = (tensors: number): Schema =>
  Array.from({ length: tensors }, (_, index) => ({ name: `block${index}/scale`, shape: [1] }))

const termsWith = (schema: Schema) => ({ settings: { run: 'r' }, schema, start: '0' })

test('libp2p 3.3: lpStream does not read a message of 8 MiB', async (t) => {
  const { near, far } = await barePair(t)
  const reading = t.throwsAsync(lpStream(far).read(), { message: /overflow|too long/i })
  lpStream(near)
    .write(new Uint8Array(8 * MiB))
    .catch(() => {})
  await reading
})

test('vectors of more than 4 MiB arrive', async (t) => {
  const bytes = 36 * MiB + 4
  const [left, right] = await testCluster(t, edge, large(bytes))
  await connectAll([left, right])
  const [rounds] = await Promise.all([receiveAll(right, 2), sendAll(left, b, bytes, 2)])
  t.deepEqual(rounds, upTo(2))
  t.deepEqual(
    [left, right].flatMap((each) => troubleOf(each)),
    []
  )
})

test('a hello with a schema of 20000 tensors is accepted', async (t) => {
  const tensors = 20_000
  const schema = schemaOfMany(tensors)
  t.true(JSON.stringify(schema).length > 0.7 * controlBytes, 'the hello is nearly as long as it may be')
  const [left, right] = await testCluster(t, edge, { runSettings: termsWith(schema) })
  await connectAll([left, right])
  const [rounds] = await Promise.all([receiveAll(right, 1), sendAll(left, b, 4 * tensors, 1)])
  t.deepEqual(rounds, [0])
})

test('two schemas of 20000 tensors that differ in the last one are refused, and the difference is named', async (t) => {
  const schema = schemaOfMany(20_000)
  const left = await testNode(t, edge, 'a', { runSettings: termsWith(schema) })
  const right = await testNode(t, edge, 'b', {
    runSettings: termsWith([...schema.slice(0, -1), { name: 'end', shape: [1] }])
  })
  const peerList = peerListOf([left, right])
  const refused = ({ peer }: typeof left, by: typeof a) =>
    t.throwsAsync(peer.connect(peerList, timeLimit(10_000)), { instanceOf: RefusedError }).then((error) => {
      t.like(error, { code: 'schema', peer: by })
      t.regex(error.message, /tensor 20000 is .*block19999.*/)
    })
  await Promise.all([refused(left, b), refused(right, a)])
})

// Without the check the receiver would reset the stream, and the sender would dial repeatedly until its timeout.
test('a schema that is too long for a hello is refused at once, with the reason', async (t) => {
  const schema = schemaOfMany(Math.ceil(controlBytes / 30))
  t.true(JSON.stringify(schema).length > controlBytes)
  await t.throwsAsync(testNode(t, edge, 'a', { runSettings: termsWith(schema) }), {
    instanceOf: InputError,
    message: /schema/
  })
})
