import { bodyOf } from '../copy.js'
import { type Codec, type CodecKind, float32Floor, rawBytes, rawCodecId } from './codec.js'
import { checkRoom, decodeRaw, misplaced } from './reference.js'

/** The vectors unchanged: 4 bytes per number. */
export const rawCodec: Codec = {
  name: 'float32',
  id: rawCodecId,
  stateful: false,
  accuracy: { error: 0, rounds: 1, floor: float32Floor },
  bytes: rawBytes,
  maxBytes: rawBytes,
  createEncoder: (length) => ({
    encode: (values, offset, out) => {
      checkRoom(length, offset, values.length, out)
      out.set(bodyOf(values))
      return { id: rawCodecId, bytes: rawBytes(values.length) }
    },
    reset: () => {}
  }),
  createDecoder: (length) => ({
    decode: (id, bytes, offset, out) =>
      misplaced(length, offset, out.length) ??
      (id === rawCodecId ? decodeRaw(bytes, out) : `codec ${id}, ${rawCodecId} (float32) expected`),
    reset: () => {}
  })
}

/** The record of the codec that changes nothing. */
export const float32: CodecKind = {
  name: 'float32',
  id: rawCodecId,
  description: '4 bytes per number: the vectors as they are',
  create: () => rawCodec
}
