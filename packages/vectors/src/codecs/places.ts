/**
 * The places of some numbers of a range, in increasing order. Layout: a byte that gives the form, then either (0) the
 * gap before each of them, which is how many numbers lie between it and the one before, as LEB128 (seven bits a byte,
 * the lowest first, the highest bit set when more follow), or (1) a bit per number of the range, the lowest of each
 * byte first, and zeros up to a whole byte. The encoder uses the shorter form.
 */
const gapsForm = 0
const bitmapForm = 1

const bitmapBytes = (length: number): number => Math.ceil(length / 8)

/** The maximum bytes for `count` places among `length`: each further byte of a gap needs at least 128 more numbers. */
export function placesBytes(count: number, length: number): number {
  const furtherBytes = Math.floor(length / 2 ** 7) + Math.floor(length / 2 ** 14) + Math.floor(length / 2 ** 21)
  return 1 + Math.min(bitmapBytes(length), count + furtherBytes)
}

/** The bytes for these places among `length`. */
export function placesLength(places: Uint32Array, length: number): number {
  return 1 + Math.min(gapBytes(places), bitmapBytes(length))
}

/**
 * Writes the places in a range of `length` numbers to `out` from `start` on. Returns the position behind the last byte.
 */
export function writePlaces(places: Uint32Array, length: number, out: Uint8Array, start: number): number {
  const asGaps = gapBytes(places) <= bitmapBytes(length)
  out[start] = asGaps ? gapsForm : bitmapForm
  return asGaps ? writeGaps(places, out, start + 1) : writeBitmap(places, length, out, start + 1)
}

function gapBytes(places: Uint32Array): number {
  let bytes = 0
  for (let index = 0, next = 0; index < places.length; index++) {
    const gap = places[index] - next
    bytes += gap < 2 ** 7 ? 1 : gap < 2 ** 14 ? 2 : gap < 2 ** 21 ? 3 : gap < 2 ** 28 ? 4 : 5
    next = places[index] + 1
  }
  return bytes
}

function writeGaps(places: Uint32Array, out: Uint8Array, start: number): number {
  let at = start
  for (let index = 0, next = 0; index < places.length; index++) {
    let gap = places[index] - next
    for (; gap >= 0x80; gap >>>= 7) out[at++] = (gap & 0x7f) | 0x80
    out[at++] = gap
    next = places[index] + 1
  }
  return at
}

function writeBitmap(places: Uint32Array, length: number, out: Uint8Array, start: number): number {
  const end = start + bitmapBytes(length)
  out.fill(0, start, end)
  for (const place of places) out[start + (place >>> 3)] |= 1 << (place & 7)
  return end
}

/** Reads as many places as `places` has room for, from all of `bytes`. Returns whether there are exactly that many. */
export function readPlaces(bytes: Uint8Array, length: number, places: Uint32Array): boolean {
  if (bytes[0] === gapsForm) return readGaps(bytes, length, places)
  return bytes[0] === bitmapForm && bytes.byteLength === 1 + bitmapBytes(length) && readBitmap(bytes, length, places)
}

function readGaps(bytes: Uint8Array, length: number, places: Uint32Array): boolean {
  let at = 1
  for (let index = 0, next = 0; index < places.length; index++) {
    let gap = 0
    let unit = 1
    let byte = 0x80
    // Once beyond the range, the loop ends: no number overflows, however many bytes a gap has.
    for (; byte >= 0x80 && next + gap < length; unit *= 0x80) {
      if (at === bytes.byteLength) return false
      byte = bytes[at++]
      gap += (byte & 0x7f) * unit
      if (unit > length) return false
    }
    if (byte >= 0x80 || next + gap >= length) return false
    places[index] = next + gap
    next += gap + 1
  }
  return at === bytes.byteLength
}

function readBitmap(bytes: Uint8Array, length: number, places: Uint32Array): boolean {
  let found = 0
  for (let at = 1; at < bytes.byteLength; at++) {
    for (let bits = bytes[at]; bits !== 0; bits &= bits - 1) {
      const place = 8 * (at - 1) + 31 - Math.clz32(bits & -bits)
      if (found === places.length || place >= length) return false
      places[found++] = place
    }
  }
  return found === places.length
}
