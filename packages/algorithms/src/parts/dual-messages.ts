/** The messages of a support vector machine in the dual: samples with their numbers, and how many remain. */
import { NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { NodeKernel } from '@murmuration/engine'
import type { DualSample } from './dual-blocks.js'
import { type DualNumbers, restOf } from './dual-state.js'

/** The numbers before the samples, and those of a sample before its input. */
const header = 2
const beforeInput = 4

/** How many numbers a message of `count` samples has. */
export function messageLength(count: number, { width }: NodeKernel): number {
  return header + count * (beforeInput + width)
}

/** The samples at these places, and how many of this peer's are active. */
export function writtenSamples(
  places: readonly number[],
  active: number,
  dual: DualNumbers,
  kernel: NodeKernel,
  length: number
): Float32Array {
  const message = new Float32Array(length)
  message.set([active, places.length])
  for (const [index, place] of places.entries()) {
    const at = dual.first + place
    const f = dual.f[place]
    const offset = messageLength(index, kernel)
    message.set([at, dual.y[place], f, restOf(f)], offset)
    message.set(kernel.sample(at), offset + beforeInput)
  }
  return message
}

/** The inputs of this peer's samples with these numbers. */
export function inputsOf(numbers: readonly number[], kernel: NodeKernel): Float32Array {
  const message = new Float32Array(numbers.length * kernel.width)
  for (const [index, at] of numbers.entries()) message.set(kernel.sample(at), index * kernel.width)
  return message
}

/** What {@link writtenSamples} wrote at a peer. Throws a NeighboursMissingError for what no honest peer writes. */
export function readSamples(
  from: PeerName,
  message: Float32Array,
  dual: DualNumbers,
  kernel: NodeKernel
): { readonly active: number; readonly samples: readonly DualSample[] } {
  const { first, count: owned } = kernel.shardOf(from)
  const check = (isRight: boolean, what: string) => {
    if (!isRight) throw new NeighboursMissingError([from], `${from} sent ${what}, which cannot be used`)
  }
  const [active, count] = message
  check(isCount(active, owned), `${active} active samples of ${owned}`)
  check(isCount(count, active) && messageLength(count, kernel) <= message.length, `${count} samples in a block`)
  let last = first - 1
  const samples = Array.from({ length: count }, (_, index): DualSample => {
    const offset = messageLength(index, kernel)
    const [at, y, f, rest] = message.subarray(offset, offset + beforeInput)
    check(Number.isInteger(at) && at > last && at < first + owned, `sample ${at}, which is out of order or not its own`)
    check(y === 1 || y === -1, `the class ${y}`)
    last = at
    const input = message.subarray(offset + beforeInput, offset + beforeInput + kernel.width)
    return { at, y, alpha: dual.alphaOf(at), f: f + rest, input }
  })
  return { active, samples }
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}
