import type { Attribute, OnnxModel, OnnxNode, OnnxTensor } from './messages.js'

/** Collects operations and constants; every value has a name of its own. */
export class GraphBuilder {
  readonly #nodes: OnnxNode[] = []
  readonly #tensors = new Map<string, OnnxTensor>()
  readonly #taken: Set<string>

  /** @param reserved - names that no operation of {@link add} gets */
  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved)
  }

  /** An operation. The result is the name of its value: `wanted`, or where that is taken, as of a layer that is used twice, with a number. */
  add(
    operator: string,
    inputs: readonly string[],
    wanted: string,
    attributes: Readonly<Record<string, Attribute>> = {}
  ): string {
    let output = wanted
    for (let number = 2; this.#taken.has(output); number++) output = `${wanted}_${number}`
    this.#taken.add(output)
    this.#nodes.push({ operator, inputs, output, attributes })
    return output
  }

  /** The last operation: it gives a value a name that is reserved. */
  end(value: string, output: string): void {
    this.#nodes.push({ operator: 'Identity', inputs: [value], output, attributes: {} })
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
