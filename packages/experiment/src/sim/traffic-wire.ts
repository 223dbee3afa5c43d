import { InputError, invariant, type Schema, type Wire } from '@murmuration/core'
import { frameHeaderLength, pooledVectorWire, type VectorMessage } from '@murmuration/wire'

/** A model's traffic in place of the trained parameters': what messages weigh, and into which tensors they are cut. */
export interface Traffic {
  /** One tensor for each tensor of the traffic, over the trained parameters. */
  readonly schema: Schema
  readonly wire: Wire<VectorMessage>
}

/**
 * Lays the tensors of a larger model over the parameters of the one that is trained, so that convergence is real and the
 * messages weigh what the larger model's would: every tensor gets at least one of the `length` parameters, and else as many as
 * its size says; each parameter of a tensor counts for the same number of bytes, together the tensor's own.
 *
 * @param tensors - numbers of float32 in each tensor, at least 1
 */
export function trafficOver(length: number, tensors: readonly number[]): Traffic {
  if (length < tensors.length) {
    throw new InputError(
      `traffic has ${tensors.length} tensors, and the task's ${length} parameters cannot be cut into so many; ` +
        'take a task with more parameters, or traffic with fewer tensors'
    )
  }
  const lengths = dealOut(length, tensors)
  const bytesBefore = new Float64Array(length + 1)
  let element = 0
  for (const [index, count] of lengths.entries()) {
    const first = bytesBefore[element]
    for (let k = 1; k <= count; k++) bytesBefore[++element] = first + (4 * tensors[index] * k) / count
  }
  invariant(element === length, 'the traffic does not cover the parameters')
  const payloadLength = ({ offset = 0, vector }: VectorMessage) =>
    Math.round(bytesBefore[offset + vector.length] - bytesBefore[offset])
  return {
    schema: lengths.map((count, index) => ({ name: `traffic ${index + 1}`, shape: [count] })),
    wire: {
      ...pooledVectorWire(),
      payloadLength,
      byteLength: (message) => frameHeaderLength + payloadLength(message)
    }
  }
}

/** Whole fractions of `total` by size, each at least 1, by the largest remainder. */
function dealOut(total: number, sizes: readonly number[]): number[] {
  const sum = sizes.reduce((all, size) => all + size, 0)
  const exact = sizes.map((size) => (size / sum) * total)
  const fractions = exact.map((fraction) => Math.max(1, Math.floor(fraction)))
  let rest = total - fractions.reduce((all, fraction) => all + fraction, 0)
  const order = exact.map((_, index) => index)
  order.sort((left, right) => exact[right] - fractions[right] - (exact[left] - fractions[left]) || left - right)
  for (let k = 0; rest > 0; k++, rest--) fractions[order[k % order.length]]++
  // Tensors that were lifted to 1 took from the others; the largest give it back.
  while (rest < 0) {
    fractions[fractions.indexOf(Math.max(...fractions))]--
    rest++
  }
  return fractions
}
