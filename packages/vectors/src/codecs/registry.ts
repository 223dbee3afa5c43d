/** One line per kind of codec. Files, the handshake, documents and tests go through this list. */
import { bfloat16 } from './bfloat16.js'
import type { CodecKind } from './codec.js'
import { delta, dense } from './dense.js'
import { float16 } from './float16.js'
import { float32 } from './float32.js'
import { int4, int8 } from './integers.js'
import { topK } from './top-k.js'

/** All kinds of codecs. */
export const codecKinds: readonly CodecKind[] = [
  float32,
  dense(float16),
  dense(bfloat16),
  dense(int8),
  dense(int4),
  delta(float16),
  delta(bfloat16),
  delta(int8),
  delta(int4),
  topK
]
