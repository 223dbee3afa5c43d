import { KernelFunction, type KernelOptions, pointsFrom } from './kernels.js'

/** A trained support vector machine with a kernel. */
export interface KernelMachineParts {
  readonly kernel: KernelOptions
  /** The inputs of the support vectors. */
  readonly support: readonly Float32Array[]
  /** α y of each. */
  readonly coefficients: Float64Array
  readonly bias: number
}

/** A support vector machine with a kernel, for use and export. */
export class KernelMachine {
  readonly #parts: KernelMachineParts

  constructor(parts: KernelMachineParts) {
    this.#parts = parts
  }

  /** The decision values Σ α y K(x, ·) + b: above 0 for class 1, else class 0. */
  decide(inputs: readonly Float32Array[]): Float64Array {
    const { kernel, support, coefficients, bias } = this.#parts
    const sums = new Float64Array(inputs.length).fill(bias)
    new KernelFunction(kernel).accumulate(pointsFrom(support), coefficients, pointsFrom(inputs), sums, [
      ...inputs.keys()
    ])
    return sums
  }

  /** The parts with the support vectors of class 0 first, and how many each class has. */
  get byClass(): KernelMachineParts & { readonly counts: readonly [number, number] } {
    const { support, coefficients } = this.#parts
    const numbers = [...support.keys()]
    const ofClass0 = numbers.filter((k) => coefficients[k] < 0)
    const order = [...ofClass0, ...numbers.filter((k) => coefficients[k] >= 0)]
    return {
      ...this.#parts,
      support: order.map((k) => support[k]),
      coefficients: Float64Array.from(order, (k) => coefficients[k]),
      counts: [ofClass0.length, numbers.length - ofClass0.length]
    }
  }

  /**
   * A model file of LIBSVM (svm_save_model in its svm.cpp), for C-SVC.
   *
   * @param labels - of classes 0 and 1: whole numbers
   */
  libsvm([label0, label1]: readonly [number, number]): string {
    const { kernel, support, coefficients, bias, counts } = this.byClass
    const lines = support.map((input, k) => `${coefficients[k]} ${sparse(input)}`)
    return [
      'svm_type c_svc',
      ...kernelLines(kernel),
      'nr_class 2',
      `total_sv ${support.length}`,
      `rho ${-bias}`,
      `label ${label1} ${label0}`,
      `nr_sv ${counts[1]} ${counts[0]}`,
      'SV',
      ...lines.slice(counts[0]),
      ...lines.slice(0, counts[0]),
      ''
    ].join('\n')
  }
}

function kernelLines(kernel: KernelOptions): readonly string[] {
  if (kernel === 'linear') return ['kernel_type linear']
  if ('rbf' in kernel) return ['kernel_type rbf', `gamma ${kernel.rbf.gamma}`]
  const { degree, gamma, coef0 } = kernel.polynomial
  return ['kernel_type polynomial', `degree ${degree}`, `gamma ${gamma}`, `coef0 ${coef0}`]
}

/** `1:0.5 3:2`, from 1 on, without zeros. */
function sparse(input: Float32Array): string {
  return [...input].flatMap((value, i) => (value === 0 ? [] : [`${i + 1}:${value}`])).join(' ')
}
