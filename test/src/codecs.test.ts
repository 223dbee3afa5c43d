import { testCodec } from '@murmuration/contract'
import { createRandom } from '@murmuration/random'
import { parseCodec } from '@murmuration/vectors'
import test from 'ava'

/** By codec: how far numbers up to 1 may be off, and after how many rounds. */
const promises: Readonly<Record<string, readonly [error: number, rounds: number]>> = {
  'float32': [0, 1],
  'float16': [2 ** -12, 1],
  'bfloat16': [2 ** -9, 1],
  'int8': [1 / 126, 1],
  'delta-float16': [2 ** -25, 3],
  'delta-bfloat16': [0, 5],
  'delta-int8': [0, 6],
  'top-k:0.01': [0, 300],
  'top-k:0.5': [0, 6],
  'top-k:1': [0, 3]
}

for (const [name, [error, rounds]] of Object.entries(promises)) {
  testCodec(test, { codec: parseCodec(name), random: (seed) => createRandom(seed, 'codecs'), error, rounds })
}
