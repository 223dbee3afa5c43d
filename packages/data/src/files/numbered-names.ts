import { InputError } from '@murmuration/core'

/** The maximum number of different names of one kind, 2^22. */
const maxNames = 2 ** 22

/** Numbers for names, in the order in which they first occur. */
export class NumberedNames {
  readonly #kind: string
  readonly #numbers = new Map<string, number>()

  readonly #max: number

  /**
   * @param kind - what is named, in the plural
   * @param max - the maximum number of names
   */
  constructor(kind: string, max = maxNames) {
    this.#kind = kind
    this.#max = max
  }

  get count(): number {
    return this.#numbers.size
  }

  /** The number of a name. Throws an {@link InputError} that names `file` for one name too many. */
  numberOf(name: string, file: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#numbers.size
    if (number === this.#max)
      throw new InputError(
        `${file}: more than ${this.#max} different ${this.#kind}, the most that are read; use a part of the file`
      )
    // A copy: what was cut out of a text keeps all of it in memory.
    this.#numbers.set(JSON.parse(JSON.stringify(name)) as string, number)
    return number
  }
}
