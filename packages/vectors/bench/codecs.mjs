/**
 * How fast codecs are, relative to copying the same vector in the same run.
 *
 *     npx tsc -b packages/vectors && node packages/vectors/bench/codecs.mjs [repeats]
 *
 * GB/s are bytes of float32, 4 per number, whatever the size of the body. A stateful codec's first body, raw float32,
 * is not counted. Between the repeats every number changes a little, so that there are changes to send. Medians.
 */
import { codecWords, parseCodec } from '../dist/index.js'

const count = 25_000_000
const repeats = Number(process.argv[2] ?? 5)
const names = [...codecWords, 'top-k:0.001', 'top-k:0.1']

/** Gives the same seeds in each run; nothing else is drawn from it. */
const draws = { integer: (limit) => Math.floor(0.37 * limit) }

const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)]

function timed(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Numbers that look like weights: sums of two draws, around 0. */
function fill(vector, size) {
  let state = 1
  const draw = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0) / 2 ** 31
  for (let i = 0; i < vector.length; i++) vector[i] += size * (draw() + draw())
}

const [vector, copy, changes] = [0, 1, 2].map(() => new Float32Array(count))
const body = new Uint8Array(4 * count)
fill(vector, 0.1)
fill(changes, 0.001)

function measure(codec) {
  const encoder = codec.createEncoder(count, draws)
  const decoder = codec.createDecoder(count)
  const times = { copy: [], encode: [], decode: [] }
  let encoded
  for (let repeat = -1; repeat < repeats; repeat++) {
    for (let i = 0; i < count; i++) vector[i] += changes[(i + repeat + 1) % count]
    const copying = timed(() => copy.set(vector))
    const encoding = timed(() => (encoded = encoder.encode(vector, 0, body)))
    const decoding = timed(() => {
      const fault = decoder.decode(encoded.id, body.subarray(0, encoded.bytes), 0, copy)
      if (fault !== undefined) throw new Error(fault)
    })
    if (repeat < 0) continue
    times.copy.push(copying)
    times.encode.push(encoding)
    times.decode.push(decoding)
  }
  const rate = (milliseconds) => (4 * count) / median(milliseconds) / 1e6
  const part = (milliseconds) => median(times.copy.map((time, k) => time / milliseconds[k]))
  return {
    'codec': codec.name,
    'bytes per number': Number((encoded.bytes / count).toFixed(4)),
    'encode GB/s': Number(rate(times.encode).toFixed(2)),
    'decode GB/s': Number(rate(times.decode).toFixed(2)),
    'encode / copy': Number(part(times.encode).toFixed(2)),
    'decode / copy': Number(part(times.decode).toFixed(2))
  }
}

console.table(names.map((name) => measure(parseCodec(name))))
