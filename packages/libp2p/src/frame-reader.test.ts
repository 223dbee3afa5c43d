import { encodeHeader, frameHeaderLength } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import { type FrameOutcome, FrameReader } from './frame-reader.js'

const elements = 5

function frame(sequence: number, value: number): Uint8Array {
  const message = { kind: sequence % 7, round: sequence, vector: new Float32Array(elements).fill(value) }
  return Buffer.concat([encodeHeader(message, sequence), new Uint8Array(message.vector.buffer)])
}

/** Reads `bytes` in pieces of the given sizes, which repeat. */
function readAll(bytes: Uint8Array, sizes: readonly number[]): FrameOutcome[] {
  const reader = new FrameReader(elements)
  const outcomes: FrameOutcome[] = []
  for (let offset = 0, turn = 0; offset < bytes.byteLength; turn++) {
    const size = sizes[turn % sizes.length]
    outcomes.push(...reader.push(bytes.slice(offset, offset + size)))
    offset += size
  }
  return outcomes
}

const sizes = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 8 })

test('however the bytes are split, the same frames come out', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 6 }),
      sizes,
      (values, split) => {
        const bytes = Buffer.concat(values.map((value, index) => frame(index + 1, value)))
        const outcomes = readAll(bytes, split)
        t.deepEqual(
          outcomes.map((outcome) => outcome.kind === 'frame' && [outcome.header.round, ...outcome.vector]),
          values.map((value, index) => [index + 1, ...new Float32Array(elements).fill(value)])
        )
      }
    )
  )
})

test('garbage gives one fault at most, and never an exception or a frame', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), sizes, (bytes, split) => {
      const outcomes = readAll(bytes, split)
      t.is(outcomes.length, bytes.byteLength >= frameHeaderLength ? 1 : 0)
      t.true(outcomes.every(({ kind }) => kind === 'bad-header'))
    })
  )
})

test('one flipped bit anywhere never gives a frame that differs from what was sent', (t) => {
  const sound = Buffer.concat([frame(1, 1.5), frame(2, 2.5)])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 * sound.byteLength - 1 }), sizes, (bit, split) => {
      const bytes = Uint8Array.from(sound)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      const outcomes = readAll(bytes, split)
      t.true(outcomes.some(({ kind }) => kind !== 'frame'))
      for (const outcome of outcomes) {
        if (outcome.kind === 'frame') t.true(outcome.vector.every((value) => value === outcome.header.sequence + 0.5))
      }
    })
  )
})

test('a body with a NaN is passed over, and the frame after it is read', (t) => {
  const outcomes = readAll(Buffer.concat([frame(1, Number.NaN), frame(2, 3)]), [7])
  t.like(outcomes, [
    { kind: 'bad-body', fault: 'not-finite' },
    { kind: 'frame', header: { sequence: 2 } }
  ])
})

test('each frame has its own memory', (t) => {
  const [first, second] = readAll(Buffer.concat([frame(1, 1), frame(2, 2)]), [1000])
  t.true(first.kind === 'frame' && second.kind === 'frame' && first.vector[0] === 1 && second.vector[0] === 2)
})

test('vectors without numbers are frames too', (t) => {
  const header = encodeHeader({ kind: 1, round: 4, vector: new Float32Array(0) }, 1)
  t.like(new FrameReader(0).push(header), [{ kind: 'frame', header: { round: 4 } }])
})
