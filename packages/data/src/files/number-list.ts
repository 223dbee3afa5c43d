type Numbers = Uint32Array | Float32Array | Float64Array

/** A list of numbers that grows. Unlike an array it takes as many bytes per number as its type says. */
export class NumberList<List extends Numbers> {
  length = 0
  readonly #create: new (length: number) => List
  #values: List

  /** @param create - the type, such as `Uint32Array` */
  constructor(create: new (length: number) => List) {
    this.#create = create
    this.#values = new create(1024)
  }

  /** The numbers so far, without a copy. */
  get values(): List {
    return this.#values.subarray(0, this.length) as List
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const longer = new this.#create(2 * this.length)
      longer.set(this.#values)
      this.#values = longer
    }
    this.#values[this.length++] = value
  }
}
