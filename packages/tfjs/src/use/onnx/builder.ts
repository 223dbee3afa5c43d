import { invariant } from '@murmuration/core'
import type { Attribute, OnnxModel, OnnxNode, OnnxTensor } from './messages.js'

/** Collects operations and constants; every value has a name of its own. */
export class GraphBuilder {
  readonly #nodes: OnnxNode[] = []
  readonly #tensors = new Map<string, OnnxTensor>()

  /** An operation. The result is the name of its value, which is `output`. */
  add(
    operator: string,
    inputs: readonly string[],
    output: string,
    attributes: Readonly<Record<string, Attribute>> = {}
  ): string {
    const isTaken = output === 'input' || this.#nodes.some((node) => node.output === output)
    invariant(!isTaken, () => `two values are called ${output}`)
    this.#nodes.push({ operator, inputs, output, attributes })
    return output
  }

  /** A constant of float32. The same name is the same constant. */
  tensor(name: string, shape: readonly number[], values: Float32Array): string {
    this.#tensors.set(name, { name, shape, values })
    return name
  }

  /** A constant list of whole numbers. */
  integers(name: string, values: readonly number[]): string {
    this.#tensors.set(name, { name, shape: [values.length], values: BigInt64Array.from(values, BigInt) })
    return name
  }

  content(): Pick<OnnxModel, 'nodes' | 'tensors'> {
    return { nodes: this.#nodes, tensors: [...this.#tensors.values()] }
  }
}
