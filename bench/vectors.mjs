/** What the processes send each other, and whether what came of it is right. */
import { setImmediate } from 'node:timers'
import { promisify } from 'node:util'
import { Buffer } from 'node:buffer'
import { KernelMemory, weightedSum } from '@murmuration/vectors'

/** Numbers that are averaged at a time. */
const sliceLength = 1 << 18

const immediate = promisify(setImmediate)

/** Element `index` of the vector of process `self`; exact in float32, and different in every process. */
const valueOf = (self, index) => self + 1 + (index % 1000) / 1024

/** Writes the vector of process `self` into `vector`. */
export function fillVector(self, vector) {
  const start = Math.min(1000, vector.length)
  for (let index = 0; index < start; index++) vector[index] = valueOf(self, index)
  // Doubles what is there until the vector is full; all but the last copy are multiples of 1000 long.
  for (let done = start; done < vector.length; done *= 2)
    vector.copyWithin(done, 0, Math.min(done, vector.length - done))
  return vector
}

/** All vectors of a process in one memory, in which kernels compute without copying. */
export function createAllocator(elements) {
  const memory = KernelMemory.shared()
  return () => memory.vector(elements) ?? new Float32Array(elements)
}

/** The bytes of a vector, not copied. */
export const bytesOf = (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

/**
 * Copies all of `source`, at least a byte, to `target` from its byte `at` on, in one go also where threads share
 * memory.
 */
export function copyBytes(target, source, at) {
  Buffer.from(target.buffer, target.byteOffset + at, source.byteLength).fill(source)
}

/**
 * Averages one's own vector with those of the neighbours, each with the same weight, over the first of theirs, and
 * checks the result at some hundred places. Large vectors are averaged in slices, as algorithms do, so that small
 * messages get through. Since the average lies where the neighbour's vector was, and differs from it, a round in which
 * not everything was received anew does not pass.
 *
 * @param theirs - the received vectors in the order of `neighbours`
 * @param tolerance - how far off the result may be, as a fraction of the largest number
 */
export async function averageAndCheck({ self, neighbours, own, theirs, tolerance }) {
  const weight = 1 / (theirs.length + 1)
  const [average] = theirs
  const terms = [own, ...theirs].map((vector) => ({ weight, vector }))
  for (let from = 0; from < average.length; from += sliceLength) {
    if (from > 0) await immediate()
    weightedSum(average, terms, from, Math.min(average.length, from + sliceLength))
  }
  const peers = [self, ...neighbours]
  const allowed = tolerance * (Math.max(...peers) + 2)
  const step = Math.max(1, Math.floor((average.length - 1) / 128))
  for (let index = 0; index < average.length; index += step) checkAt(average, index, peers, allowed)
  checkAt(average, average.length - 1, peers, allowed)
}

function checkAt(average, index, peers, allowed) {
  const expected = peers.reduce((sum, peer) => sum + valueOf(peer, index), 0) / peers.length
  if (Math.abs(average[index] - expected) <= allowed) return
  throw new Error(`element ${index} of the average is ${average[index]}; it must be ${expected}`)
}
