/**
 * Lengths of runs of numbers as LEB128: seven bits a byte, the lowest first, the highest bit set when more follow; at
 * most four bytes.
 */

/** The bytes that a length takes, which is below 2²⁸. */
export function runLengthBytes(length: number): number {
  return length < 2 ** 7 ? 1 : length < 2 ** 14 ? 2 : length < 2 ** 21 ? 3 : 4
}

/** Writes a length to `view` from `start` on. Returns the position behind the last byte. */
export function writeRunLength(length: number, view: DataView, start: number): number {
  let at = start
  let left = length
  for (; left >= 0x80; left >>>= 7) view.setUint8(at++, (left & 0x7f) | 0x80)
  view.setUint8(at++, left)
  return at
}

/** The length that begins at `start`; 0 unless it is valid: at most four bytes, none superfluous. */
export function runLengthAt(view: DataView, start: number): number {
  let length = 0
  for (let k = 0; k < 4 && start + k < view.byteLength; k++) {
    const byte = view.getUint8(start + k)
    length |= (byte & 0x7f) << (7 * k)
    if (byte < 0x80) return runLengthBytes(length) === k + 1 ? length : 0
  }
  return 0
}
