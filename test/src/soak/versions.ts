/** Vectors that can be checked: each contains its peer, its round, and a checksum over everything. */
import { crc32 } from 'node:zlib'

/** The numbers before the generated ones: the checksum's halves, the peer, the round. */
const headLength = 4

/** Numbers without a checksum: the checksum itself. */
const checksumLength = 2

/** How many numbers of a received version are compared with the generated ones. */
const places = 200

/** The peer, by its index in the ring, and the round of a version. */
export interface VersionName {
  readonly peer: number
  readonly round: number
}

/** Fills `vector` (of at least 5 numbers) with the version of a peer and round. */
export function fillVersion(vector: Float32Array, name: VersionName): void {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length)
  const key = keyOf(name)
  for (let index = headLength; index < bits.length; index++) bits[index] = bitsAt(key, index)
  vector[2] = name.peer
  vector[3] = name.round
  const checksum = checksumOf(vector)
  vector[0] = checksum >>> 16
  vector[1] = checksum & 0xffff
}

/** What is wrong with a version that should be the one of `name`; `undefined` when it is whole. */
export function faultOf(vector: Float32Array, name: VersionName): string | undefined {
  const { peer, round } = name
  if (vector[2] !== peer || vector[3] !== round) {
    return `it says that it is version ${vector[3]} of peer ${vector[2]}, not version ${round} of peer ${peer}`
  }
  const checksum = checksumOf(vector)
  const [high, low] = vector
  if (!Object.is(high, checksum >>> 16) || !Object.is(low, checksum & 0xffff)) {
    return `its checksum is ${checksum.toString(16)}, and it says ${high.toString(16)} ${low.toString(16)}`
  }
  return wrongPlace(vector, name)
}

/** Compares some numbers, different ones in every version, with the generated ones. */
function wrongPlace(vector: Float32Array, name: VersionName): string | undefined {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length)
  const key = keyOf(name)
  for (let place = 0; place < places; place++) {
    const index = headLength + (mix(key ^ Math.imul(place + 1, 0x9e3779b1)) % (bits.length - headLength))
    if (bits[index] === bitsAt(key, index)) continue
    return `number ${index} is ${vector[index]}, which was never sent, though the checksum is right`
  }
  return undefined
}

/** CRC-32 of everything but the checksum's own halves. */
function checksumOf(vector: Float32Array): number {
  const { buffer, byteOffset, byteLength } = vector.subarray(checksumLength)
  return crc32(new Uint8Array(buffer, byteOffset, byteLength))
}

function keyOf({ peer, round }: VersionName): number {
  return mix(mix(peer + 1) + round)
}

/** The bits of the number at an index: finite, of either sign, with magnitude between ½ and 1. */
function bitsAt(key: number, index: number): number {
  return ((mix(key + index) & 0x807fffff) | 0x3f000000) >>> 0
}

/** Spreads 32 bits: the finaliser "lowbias32" of C. Wellons (Prospecting for Hash Functions, 2018). */
function mix(value: number): number {
  let x = value | 0
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}
