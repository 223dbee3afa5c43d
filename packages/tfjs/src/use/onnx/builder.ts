import type { Attribute, OnnxModel, OnnxNode, OnnxTensor } from './messages.js'

/** Collects operations and constants; every value has a unique name. */
export class GraphBuilder {
  readonly #nodes: OnnxNode[] = []
  readonly #tensors = new Map<string, OnnxTensor>()
  readonly #taken: Set<string>

  /** @param reserved - names that {@link add} gives to no operation */
  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved)
  }

  /**
   * An operation. Returns the name of its value: `wanted`; where that is taken, as for a layer that is used twice, with
   * a number.
   */
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

  /** The last operation: gives a reserved name to a value. */
  end(value: string, output: string): void {
    this.#nodes.push({ operator: 'Identity', inputs: [value], output, attributes: {} })
  }

  /** A constant of float32. Equal names mean the same constant. */
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
