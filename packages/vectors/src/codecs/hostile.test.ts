import test from 'ava'
import fc from 'fast-check'
import { normals, Pair } from './codecs.test.support.js'
import { codecWords, parseCodec } from './parse.js'

const names = [...codecWords, 'top-k:0.2', 'top-k:1']
const guard = 1234.5

/** Damage to a body in transit: bytes are changed, cut off or appended, or the whole body is replaced. */
interface Damage {
  readonly flips: readonly (readonly [number, number])[]
  readonly cut: number | undefined
  readonly more: Uint8Array
  readonly instead: Uint8Array | undefined
}

const damage: fc.Arbitrary<Damage> = fc.record({
  flips: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
  cut: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  more: fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 12 })),
  instead: fc.option(fc.uint8Array({ maxLength: 900 }), { nil: undefined, freq: 1 })
})

/** The damaged bytes, in the middle of others, at an unaligned address. */
function damaged(content: Uint8Array, { flips, cut, more, instead }: Damage): Uint8Array {
  const bytes = (instead ?? content).slice()
  for (const [at, byte] of flips) if (bytes.byteLength > 0) bytes[at % bytes.byteLength] = byte
  const kept = cut === undefined ? bytes : bytes.subarray(0, cut % (bytes.byteLength + 1))
  return Uint8Array.of(255, ...kept, ...more, 255).subarray(1, 1 + kept.byteLength + more.byteLength)
}

const ids = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.integer({ min: 0, max: 255 }))

for (const name of names) {
  test(`${name}: whatever the bytes are, a decoder neither throws nor writes elsewhere nor lets NaN or infinity through`, (t) => {
    let good = 0
    let bad = 0
    const attempt = (length: number, hasReference: boolean, harm: Damage, otherId: number | undefined) => {
      const pair = new Pair(name, length + 20)
      if (hasReference) pair.pass(t, normals(length, 1), 10)
      const { id, content } = pair.encode(normals(length, 2), 10)
      const memory = new Float32Array(length + 20).fill(guard)
      const out = memory.subarray(10, 10 + length)
      const fault = pair.decoder.decode(otherId ?? id, damaged(content, harm), 10, out)
      if (fault === undefined) good++
      else bad++
      t.true(fault === undefined || fault.length > 10)
      t.true(out.every(Number.isFinite), 'finite')
      t.true(
        [...memory.subarray(0, 10), ...memory.subarray(10 + length)].every((number) => number === guard),
        'guards'
      )
    }
    fc.assert(fc.property(fc.integer({ min: 0, max: 400 }), fc.boolean(), damage, ids, attempt), { numRuns: 500 })
    t.true(good > 10 && bad > 100, `${good} went through, ${bad} did not`)
  })

  test(`${name}: bodies that are cut short or too long are refused, and so is every codec but its own and float32`, (t) => {
    const length = 700
    const x = normals(length, 1)
    const out = new Float32Array(length)
    const verdict = (change: (content: Uint8Array) => Uint8Array, id?: number) => {
      const pair = new Pair(name, length)
      if (parseCodec(name).stateful) pair.pass(t, x)
      const body = pair.encode(normals(length, 2))
      return pair.decoder.decode(id ?? body.id, change(body.content), 0, out)
    }
    t.is(
      verdict((content) => content),
      undefined
    )
    const { bytes } = new Pair(name, length).encode(x)
    for (let cut = 0; cut < bytes; cut += 37)
      t.is(typeof verdict((content) => content.subarray(0, content.length - 1 - cut)), 'string')
    t.is(typeof verdict((content) => Uint8Array.of(...content, 0)), 'string')
    for (let id = 1; id < 256; id++) {
      if (id !== parseCodec(name).id) t.regex(verdict((content) => content, id) ?? '', new RegExp(`^codec ${id}, `))
    }
  })
}

test('after a body that was refused, a stateful decoder takes nothing but raw float32', (t) => {
  for (const name of names.filter((codec) => parseCodec(codec).stateful)) {
    const pair = new Pair(name, 500)
    const x = normals(500, 1)
    const out = new Float32Array(500)
    pair.pass(t, x)
    const lost = pair.encode(normals(500, 2))
    t.is(typeof pair.decoder.decode(lost.id, lost.content.subarray(1), 0, out), 'string')
    const { id, content } = pair.encode(normals(500, 3))
    t.is(typeof pair.decoder.decode(id, content, 0, out), 'string', name)
    pair.encoder.reset()
    t.deepEqual(pair.pass(t, x), x)
  }
})

test('what other bodies were has no effect on a short one after them', (t) => {
  for (const name of names.filter((codec) => !parseCodec(codec).stateful)) {
    const pair = new Pair(name, 300)
    const { id, content } = pair.encode(Float32Array.of(1, 2, 3))
    const worst = new Uint8Array(parseCodec(name).bytes(300)).fill(0xff)
    const out = new Float32Array(300)
    t.is(typeof pair.decoder.decode(id, worst, 0, out), 'string')
    t.is(pair.decoder.decode(id, content, 0, out.subarray(0, 3)), undefined)
  }
})

test('a range beyond the vector is a fault for a decoder, and an error for an encoder', (t) => {
  for (const name of names) {
    for (const offset of [-1, 0.5, NaN, 1, 2 ** 40]) {
      const pair = new Pair(name, 10)
      t.throws(() => pair.encode(new Float32Array(10), offset), { name: 'InvariantError' })
      t.regex(pair.decoder.decode(0, new Uint8Array(40), offset, new Float32Array(10)) ?? '', /of a vector of 10/)
    }
    const { encoder } = new Pair(name, 10)
    t.throws(() => encoder.encode(new Float32Array(10), 0, new Uint8Array(39)), { name: 'InvariantError' })
  }
})
