/** A variable of a packing program: how much of each line it takes per unit, and what a unit is worth. */
export interface PackingColumn {
  readonly lines: Int32Array
  /** For each of `lines`; above 0. */
  readonly loads: Float64Array
  readonly worth: number
}

/** What a unit of a column must gain to enter, where worths are about 1. */
export const minGain = 1e-10
/** A pivot below this would spoil the inverse. */
const minPivot = 1e-9

/**
 * The linear program that packs columns into lines: maximise Σ worth · x subject to Σ load · x ≤ rate for every line, x
 * ≥ 0. The revised simplex method (Dantzig & Orchard-Hays, Mathematics of Computation 8, 1954), begun with nothing
 * packed; columns may be added between calls of `solve`. A column of the basis's inverse is a unit vector wherever the
 * slack of the line is basic, and only the others are kept: as many as columns are packed.
 *
 * Ties, at which the method could circle, are avoided: each line has a slightly higher rate of its own.
 */
export class PackingProgram<Column extends PackingColumn> {
  readonly #rates: readonly number[]
  readonly #columns: Column[] = []
  /** What is basic in each position: the index of a column, or −1 − the line of a slack. */
  readonly #basis: Int32Array
  /** How much of it there is. */
  readonly #amounts: Float64Array
  /** The position of each line's slack; −1 where it is not basic. */
  readonly #positions: Int32Array
  /** The columns of the basis's inverse by line, where they are not unit vectors. */
  readonly #inverse = new Map<number, Float64Array>()
  /** The work so far, in multiplications. */
  work = 0

  /** @param rates - above 0 */
  constructor(rates: readonly number[]) {
    this.#rates = rates
    this.#basis = Int32Array.from(rates, (_, line) => -1 - line)
    this.#positions = Int32Array.from(rates, (_, line) => line)
    this.#amounts = Float64Array.from(rates, (rate, line) => rate * (1 + 1e-9 * (1 + ((line * 0.618034) % 1))))
  }

  add(column: Column): void {
    this.#columns.push(column)
  }

  /** Packs as well as the columns allow, or until `work` has passed `maxWork`. Every column must load a line. */
  solve(maxWork: number): void {
    while (this.work <= maxWork) {
      const entering = this.#entering(this.prices())
      if (entering === undefined) return
      this.#enter(entering)
    }
  }

  /** The worth of a little more of each line. */
  prices(): Float64Array {
    const packed = this.#packed()
    const worths = packed.map((position) => this.#columns[this.#basis[position]].worth)
    const prices = new Float64Array(this.#rates.length)
    for (const [line, inverse] of this.#inverse) {
      let price = 0
      for (let index = 0; index < packed.length; index++) price += inverse[packed[index]] * worths[index]
      prices[line] = price
    }
    this.work += this.#inverse.size * packed.length
    return prices
  }

  /** The columns that are packed, with their amounts within the given rates. */
  packed(): { readonly column: Column; readonly amount: number }[] {
    const packed = this.#packed().map((position) => {
      let amount = 0
      for (const [line, inverse] of this.#inverse) amount += inverse[position] * this.#rates[line]
      return { column: this.#columns[this.#basis[position]], amount }
    })
    const used = packed.filter(({ amount }) => amount > 0)
    const loads = new Float64Array(this.#rates.length)
    for (const { column, amount } of used) {
      for (const [index, line] of column.lines.entries()) loads[line] += column.loads[index] * amount
    }
    const excess = this.#rates.reduce((most, rate, line) => Math.max(most, loads[line] / rate), 1)
    return used.map(({ column, amount }) => ({ column, amount: amount / excess }))
  }

  /** The positions of columns in the basis. */
  #packed(): number[] {
    const packed: number[] = []
    for (let position = 0; position < this.#basis.length; position++) {
      if (this.#basis[position] >= 0) packed.push(position)
    }
    return packed
  }

  /** The slack, as −1 − line, or the column whose entry gains most per unit. */
  #entering(prices: Float64Array): number | undefined {
    let best: number | undefined
    let gain = minGain
    for (const line of this.#inverse.keys()) {
      if (-prices[line] <= gain) continue
      best = -1 - line
      gain = -prices[line]
    }
    for (let index = 0; index < this.#columns.length; index++) {
      const found = gainOf(this.#columns[index], prices)
      this.work += this.#columns[index].lines.length
      if (found <= gain) continue
      best = index
      gain = found
    }
    return best
  }

  #enter(entering: number): void {
    const direction = this.#directionOf(entering)
    const leaving = this.#leaving(direction)
    const support: number[] = []
    for (let position = 0; position < direction.length; position++) {
      if (direction[position] !== 0 && position !== leaving) support.push(position)
    }
    this.#exchange(leaving, entering)
    for (const inverse of this.#inverse.values()) eliminate(inverse, direction, leaving, support)
    eliminate(this.#amounts, direction, leaving, support)
    this.work += (this.#inverse.size + 1) * (support.length + 1)
  }

  /** How the amounts of the basis fall per unit of what enters. */
  #directionOf(entering: number): Float64Array {
    const direction = new Float64Array(this.#rates.length)
    const take = (line: number, load: number) => {
      const inverse = this.#inverse.get(line)
      if (inverse === undefined) direction[this.#positions[line]] += load
      else for (let position = 0; position < inverse.length; position++) direction[position] += load * inverse[position]
    }
    if (entering < 0) take(-1 - entering, 1)
    else {
      const { lines, loads } = this.#columns[entering]
      for (let index = 0; index < lines.length; index++) take(lines[index], loads[index])
    }
    return direction
  }

  /** The position that is empty first. */
  #leaving(direction: Float64Array): number {
    let leaving = -1
    let least = Infinity
    for (let position = 0; position < direction.length; position++) {
      const fall = direction[position]
      if (!(fall > minPivot && this.#amounts[position] < least * fall)) continue
      leaving = position
      least = this.#amounts[position] / fall
    }
    return leaving
  }

  #exchange(position: number, entering: number): void {
    const leaving = this.#basis[position]
    if (leaving < 0) {
      const unit = new Float64Array(this.#rates.length)
      unit[position] = 1
      this.#inverse.set(-1 - leaving, unit)
      this.#positions[-1 - leaving] = -1
    }
    if (entering < 0) {
      this.#inverse.delete(-1 - entering)
      this.#positions[-1 - entering] = position
    }
    this.#basis[position] = entering
  }
}

/** What a unit of a column gains over what it takes of the lines. */
export function gainOf({ lines, loads, worth }: PackingColumn, prices: Float64Array): number {
  let gain = worth
  for (let index = 0; index < lines.length; index++) gain -= loads[index] * prices[lines[index]]
  return gain
}

/** The step of Gauss and Jordan that makes `direction` the unit vector of `leaving`, on another column. */
function eliminate(values: Float64Array, direction: Float64Array, leaving: number, support: readonly number[]): void {
  const factor = values[leaving] / direction[leaving]
  if (factor === 0) return
  for (let index = 0; index < support.length; index++) {
    const position = support[index]
    values[position] -= factor * direction[position]
  }
  values[leaving] = factor
}
