import type { Random } from '@murmuration/core'
import { type Codec, type Decoder, type Encoder, rawCodecId } from '@murmuration/vectors'
import type { TestFn } from 'ava'

/** A codec that must meet the promises of every codec. */
export interface CodecCase {
  readonly codec: Codec
  random(seed: number): Random
}

const length = 1000

/** What every codec promises, as tests. */
export function testCodec(test: TestFn, { codec, random }: CodecCase): void {
  const { error, rounds } = codec.accuracy
  const titled = (title: string) => `${codec.name}: ${title}`
  const numbers = (seed: number, count = length) => {
    const draws = random(seed)
    return Float32Array.from({ length: count }, () => 2 * draws.uniform() - 1)
  }
  const link = (seed = 1) => new CodecLink(codec, random(seed))

  test(titled('a vector that stays the same arrives as accurately as the codec promises'), (t) => {
    const x = numbers(1)
    const ends = link()
    // A codec of changes sends the first vector unchanged; only later ones have to settle.
    let received = ends.pass(numbers(2), 0)
    for (let round = 0; round < rounds; round++) received = ends.pass(x, 0)
    const worst = received.reduce((max, value, index) => Math.max(max, Math.abs(value - x[index])), 0)
    t.true(worst <= error, `${worst}`)
  })

  test(titled('a vector that is sent in ranges, in any order, arrives as accurately'), (t) => {
    const x = numbers(1)
    const ends = link()
    const received = new Float32Array(length)
    ends.pass(numbers(2), 0)
    for (let round = 0; round < rounds; round++) {
      for (const [from, to] of [
        [700, 1000],
        [0, 1],
        [1, 700]
      ]) {
        received.set(ends.pass(x.subarray(from, to), from), from)
      }
    }
    const worst = received.reduce((max, value, index) => Math.max(max, Math.abs(value - x[index])), 0)
    t.true(worst <= error, `${worst}`)
  })

  test(titled('a body has at most as many bytes as the codec says, and nothing is written behind it'), (t) => {
    const ends = link()
    for (const count of [0, 1, 2, 7, 255, 256, 257, 1000]) {
      const x = numbers(count, count)
      ends.pass(x, 0)
      const out = new Uint8Array(codec.maxBytes(count) + 8).fill(0xa5)
      const { id, bytes } = ends.encoder.encode(numbers(count + 1, count), 0, out.subarray(0, codec.maxBytes(count)))
      const max = id === codec.id ? codec.bytes(count) : 4 * count
      t.true(bytes <= max, `${count} numbers, ${bytes} bytes`)
      t.true(bytes <= codec.maxBytes(count))
      t.true(out.subarray(codec.maxBytes(count)).every((byte) => byte === 0xa5))
    }
  })

  test(titled('the same seed gives the same bytes, and encoding leaves the vector alone'), (t) => {
    const bodies = [1, 2].map(() => {
      const ends = link(5)
      return [1, 2, 3].map((seed) => {
        const x = numbers(seed)
        const body = ends.encode(x, 0)
        t.deepEqual(x, numbers(seed))
        return body.content
      })
    })
    t.deepEqual(bodies[0], bodies[1])
  })

  test(titled('vectors may lie in shared memory, and bodies anywhere'), (t) => {
    const shared = new Float32Array(new SharedArrayBuffer(4 * length + 4), 4)
    const plain = link()
    const other = link()
    for (const seed of [1, 2]) {
      const x = numbers(seed)
      shared.set(x)
      const out = new Uint8Array(new SharedArrayBuffer(codec.maxBytes(length) + 3), 3)
      const { id, bytes } = other.encoder.encode(shared, 0, out)
      const { content } = plain.encode(x, 0)
      t.deepEqual(Uint8Array.from(out.subarray(0, bytes)), content)
      const received = new Float32Array(new SharedArrayBuffer(4 * length))
      const expected = new Float32Array(length)
      t.is(other.decoder.decode(id, out.subarray(0, bytes), 0, received), undefined)
      t.is(plain.decoder.decode(id, content, 0, expected), undefined)
      t.deepEqual(Float32Array.from(received), expected)
    }
  })

  test(titled('a vector that is not finite is sent as raw float32, and every decoder refuses it'), (t) => {
    for (const invalid of [NaN, Infinity, -Infinity]) {
      const ends = link()
      const x = numbers(3)
      const out = new Float32Array(length)
      ends.pass(numbers(2), 0)
      x[length - 1] = invalid
      const { id, content } = ends.encode(x, 0)
      t.is(id, rawCodecId)
      t.is(typeof ends.decoder.decode(id, content, 0, out), 'string')
      t.true(out.every(Number.isFinite))
      t.is(ends.encode(numbers(4), 0).id, codec.stateful ? rawCodecId : codec.id)
    }
  })

  test(titled('after a reset the next body of each range depends on no earlier one'), (t) => {
    const ends = link()
    for (const seed of [1, 2]) ends.pass(numbers(seed), 0)
    ends.encoder.reset()
    const x = numbers(3)
    const { id, content } = ends.encode(x, 0)
    const newDecoder = codec.createDecoder(length)
    const out = new Float32Array(length)
    t.is(newDecoder.decode(id, content, 0, out), undefined)
    if (codec.stateful) t.deepEqual(out, x)
    else t.true(out.every((value, index) => Math.abs(value - x[index]) <= error))
  })

  test(titled('any bytes are refused with a message, or give finite numbers, and nothing else is written'), (t) => {
    const draws = random(7)
    for (let attempt = 0; attempt < 300; attempt++) {
      const ends = link()
      if (attempt % 2 === 0) ends.pass(numbers(1), 0)
      const count = draws.integer(length)
      const { content } = ends.encode(numbers(2, count), 0)
      for (let flip = draws.integer(5); flip > 0; flip--)
        content[draws.integer(content.length + 1)] = draws.integer(256)
      const bytes = content.subarray(0, draws.integer(3) === 0 ? draws.integer(content.length + 1) : content.length)
      const memory = new Float32Array(length + 2).fill(77)
      const id = draws.integer(4) === 0 ? draws.integer(256) : codec.id
      const fault = ends.decoder.decode(id, bytes, 0, memory.subarray(1, 1 + count))
      t.true(fault === undefined || fault.length > 10)
      t.true(memory.every(Number.isFinite))
      t.true(memory[0] === 77 && memory.subarray(1 + count).every((value) => value === 77))
    }
  })
}

/** Both ends of a link. */
class CodecLink {
  readonly encoder: Encoder
  readonly decoder: Decoder
  readonly #codec: Codec

  constructor(codec: Codec, random: Random) {
    this.#codec = codec
    this.encoder = codec.createEncoder(length, random)
    this.decoder = codec.createDecoder(length)
  }

  encode(values: Float32Array, offset: number): { readonly id: number; readonly content: Uint8Array } {
    const out = new Uint8Array(this.#codec.maxBytes(values.length))
    const { id, bytes } = this.encoder.encode(values, offset, out)
    return { id, content: out.subarray(0, bytes) }
  }

  pass(values: Float32Array, offset: number): Float32Array {
    const { id, content } = this.encode(values, offset)
    const out = new Float32Array(values.length)
    const fault = this.decoder.decode(id, content, offset, out)
    if (fault !== undefined) throw new Error(fault)
    return out
  }
}
