import { testCodec } from '@murmuration/contract'
import { createRandom } from '@murmuration/random'
import { codecWords, parseCodec } from '@murmuration/vectors'
import test from 'ava'

for (const name of [...codecWords, 'top-k:0.5', 'top-k:1']) {
  testCodec(test, { codec: parseCodec(name), random: (seed) => createRandom(seed, 'codecs') })
}
