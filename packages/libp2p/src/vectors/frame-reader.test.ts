import { bodyOf } from '@murmuration/vectors'
import { encodeHeader, type FrameFields, frameHeaderLength } from '@murmuration/wire'
import test from 'ava'
import fc from 'fast-check'
import { type BodyDecoder, FrameReader, type FrameSink } from './frame-reader.js'

const elements = 5
const raw: FrameFields = {
  codec: 0,
  kind: 3,
  round: 0,
  sequence: 1,
  offset: 0,
  length: elements,
  position: 0,
  count: elements,
  bytes: 4 * elements
}

/** A vector of `elements` times `value`, split into frames at the given numbers. */
function frames(sequence: number, value: number, ...cuts: readonly number[]): Uint8Array {
  const vector = new Float32Array(elements).fill(value)
  const ends = [...cuts, elements]
  return Buffer.concat(
    ends.flatMap((end, index) => {
      const position = index === 0 ? 0 : ends[index - 1]
      const count = end - position
      const header = encodeHeader({ ...raw, round: sequence, sequence, position, count, bytes: 4 * count })
      return [header, bodyOf(vector.subarray(position, end))]
    })
  )
}

/** A call of a sink. */
type Call = readonly [what: string, ...details: unknown[]]

/** Accepts every vector that is not longer than `elements`, and records the calls. */
function recorder(): FrameSink & { readonly calls: Call[] } {
  const calls: Call[] = []
  return {
    calls,
    open({ length }) {
      if (length > elements) return { kind: 'fault', fault: 'range', detail: `${length} numbers` }
      return { kind: 'into', vector: new Float32Array(length) }
    },
    complete: ({ sequence }, vector, bytes) => calls.push(['complete', sequence, [...vector], bytes]),
    skipped: ({ sequence }) => calls.push(['skipped', sequence]),
    corrupt: ({ sequence }, _vector, fault) => calls.push(['corrupt', sequence, fault]),
    readError: (fault, _detail, vector) => calls.push(['read-error', fault, vector !== undefined])
  }
}

/** Reads `bytes` in pieces of the given sizes, which repeat. */
function readAll(bytes: Uint8Array, sizes: readonly number[], decoder?: BodyDecoder): readonly Call[] {
  const sink = recorder()
  const reader = new FrameReader(sink, decoder)
  for (let offset = 0, turn = 0; offset < bytes.byteLength; turn++) {
    const size = sizes[turn % sizes.length]
    reader.push(bytes.slice(offset, offset + size))
    offset += size
  }
  return sink.calls
}

const sizes = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 8 })
const cuts = fc.uniqueArray(fc.integer({ min: 1, max: elements - 1 })).map((ends) => ends.sort((x, y) => x - y))

test('however vectors are split into frames, and frames into chunks, the same vectors arrive', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.float({ noNaN: true, noDefaultInfinity: true }), cuts), { maxLength: 6 }),
      sizes,
      (vectors, split) => {
        const bytes = Buffer.concat(vectors.map(([value, ends], index) => frames(index + 1, value, ...ends)))
        const expected = vectors.map(([value], index) => [
          'complete',
          index + 1,
          Array(elements).fill(value),
          4 * elements
        ])
        t.deepEqual(readAll(bytes, split), expected as unknown as Call[])
      }
    )
  )
})

test('each byte of a body is copied once, however the bytes are split', (t) => {
  const reader = new FrameReader(recorder())
  const bytes = Buffer.concat([frames(1, 1), frames(2, 2, 3)])
  for (const byte of bytes) reader.push(Uint8Array.of(byte))
  t.is(reader.copied, bytes.byteLength)
})

test('garbage causes at most one fault, and never an exception or a vector', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), sizes, (bytes, split) => {
      const calls = readAll(bytes, split)
      t.is(calls.length, bytes.byteLength >= frameHeaderLength ? 1 : 0)
      t.true(calls.every(([what]) => what === 'read-error'))
    })
  )
})

test('no header makes the reader throw, write beyond a vector, or deliver one that was not opened', (t) => {
  const field = fc.oneof(fc.nat(8), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
  const any = fc.record({
    target: fc.nat(3),
    codec: fc.nat(2),
    kind: fc.nat(255),
    round: field,
    sequence: field,
    number: field,
    offset: field,
    length: field,
    position: field,
    count: field,
    bytes: field
  })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 5 }), fc.nat(100), (headers, body) => {
      const bytes = Buffer.concat(headers.flatMap((header) => [encodeHeader(header), new Uint8Array(body)]))
      for (const [what, , vector] of readAll(bytes, [64]))
        if (what === 'complete') t.true((vector as []).length <= elements)
    }),
    { numRuns: 500 }
  )
  t.pass()
})

test('a vector with a NaN is skipped, wherever the NaN is, and the next one is read', (t) => {
  fc.assert(
    fc.property(
      cuts,
      fc.nat(elements - 1),
      fc.constantFrom(Number.NaN, -Infinity),
      sizes,
      (ends, index, value, split) => {
        const bytes = Buffer.concat([frames(1, 7, ...ends), frames(2, 3)])
        const frame = ends.filter((end) => end <= index).length
        new DataView(bytes.buffer, bytes.byteOffset).setFloat32(
          frameHeaderLength * (frame + 1) + 4 * index,
          value,
          true
        )
        t.deepEqual(readAll(bytes, split), [
          ['corrupt', 1, 'not-finite'],
          ['complete', 2, Array(elements).fill(3), 4 * elements]
        ])
      }
    )
  )
})

test('frames out of order break the stream', (t) => {
  const second = encodeHeader({ ...raw, position: 2, count: 3, bytes: 12 })
  t.deepEqual(readAll(second, [40]), [['read-error', 'range', false]])
  const first = frames(1, 1, 2).subarray(0, frameHeaderLength + 8)
  const other = encodeHeader({ ...raw, round: 9, position: 2, count: 3, bytes: 12 })
  t.deepEqual(readAll(Buffer.concat([first, other]), [40]), [['read-error', 'range', true]])
})

test('a body in a codec that was not negotiated, or with the wrong length, breaks the stream', (t) => {
  t.deepEqual(readAll(encodeHeader({ ...raw, codec: 1, bytes: 10 }), [40]), [['read-error', 'codec', false]])
  t.deepEqual(readAll(encodeHeader({ ...raw, bytes: 16 }), [40]), [['read-error', 'length', false]])
})

/** Writes each number as one byte. */
const bytesCodec: BodyDecoder = {
  stateful: false,
  accepts: (id) => id === 7,
  maxBytes: (count) => count,
  decode: (_lane, _id, body, _offset, out) => {
    out.set(body)
    return body.includes(0) ? 'a byte is 0' : undefined
  }
}

test('encoded bodies are decoded into place; an invalid one discards only its vector', (t) => {
  const first = encodeHeader({ ...raw, codec: 7, count: 2, bytes: 2 })
  const second = encodeHeader({ ...raw, codec: 7, position: 2, count: 3, bytes: 3 })
  const good = Buffer.concat([first, Uint8Array.of(1, 2), second, Uint8Array.of(3, 4, 5)])
  const bad = Buffer.concat([encodeHeader({ ...raw, codec: 7, sequence: 2, bytes: 5 }), new Uint8Array(5)])
  fc.assert(
    fc.property(sizes, (split) => {
      t.deepEqual(readAll(Buffer.concat([good, bad, frames(3, 1)]), split, bytesCodec), [
        ['complete', 1, [1, 2, 3, 4, 5], 5],
        ['corrupt', 2, 'body'],
        ['complete', 3, [1, 1, 1, 1, 1], 20]
      ])
    })
  )
  t.deepEqual(readAll(encodeHeader({ ...raw, codec: 7, bytes: 6 }), [40], bytesCodec), [
    ['read-error', 'length', false]
  ])
})

test('numbers with a vector arrive as sent, however the bytes are split, also with an empty vector', (t) => {
  const beside = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 15 })
  fc.assert(
    fc.property(beside, beside, sizes, (first, second, split) => {
      const sink = recorder()
      const received: (readonly number[])[] = []
      const reader = new FrameReader({
        ...sink,
        complete: (_header, _vector, _bytes, numbers) => received.push(numbers)
      })
      const empty = encodeHeader({ ...raw, length: 0, count: 0, bytes: 0 }, first)
      const full = encodeHeader({ ...raw, sequence: 2, part: 9, field: 3 }, second)
      const bytes = Buffer.concat([empty, full, new Uint8Array(4 * elements), frames(3, 1)])
      for (let at = 0, turn = 0; at < bytes.byteLength; turn++) {
        const size = split[turn % split.length]
        reader.push(bytes.slice(at, at + size))
        at += size
      }
      t.deepEqual(received, [first, second, []])
    })
  )
})

test('a non-finite number with a vector discards only that vector', (t) => {
  for (const wrong of [Number.NaN, Infinity]) {
    const header = encodeHeader({ ...raw }, [1, wrong])
    const bytes = Buffer.concat([header, new Uint8Array(4 * elements), frames(2, 3)])
    t.deepEqual(readAll(bytes, [7]), [
      ['corrupt', 1, 'not-finite'],
      ['complete', 2, Array(elements).fill(3), 4 * elements]
    ])
  }
})

test('a frame of another part, epoch or field cannot continue a vector, and only its first frame has numbers', (t) => {
  const first = frames(1, 1, 2).subarray(0, frameHeaderLength + 8)
  const rest = { ...raw, round: 1, position: 2, count: 3, bytes: 12 }
  for (const header of [
    encodeHeader({ ...rest, part: 1 }),
    encodeHeader({ ...rest, epoch: 1 }),
    encodeHeader({ ...rest, field: 1 }),
    encodeHeader(rest, [1])
  ]) {
    t.deepEqual(readAll(Buffer.concat([first, header]), [64]), [['read-error', 'range', true]])
  }
})

test('empty vectors are delivered too', (t) => {
  const none = encodeHeader({ ...raw, length: 0, count: 0, bytes: 0 })
  t.deepEqual(readAll(none, [40]), [['complete', 1, [], 0]])
})

test('a stream that ends within a vector releases its memory; between vectors there is none', (t) => {
  const sink = recorder()
  const reader = new FrameReader(sink)
  reader.push(frames(1, 1).subarray(0, 50))
  t.true(reader.isWithin)
  t.is(reader.end()?.length, elements)
  t.is(reader.end(), undefined)
  t.deepEqual(sink.calls, [])
  const other = recorder()
  const between = new FrameReader(other)
  between.push(frames(1, 1))
  t.false(between.isWithin)
  t.is(between.end(), undefined)
  t.is(other.calls.length, 1)
})
