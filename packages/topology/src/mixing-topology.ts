import { byName, type Mixing, type PeerName, type Topology } from '@murmuration/core'
import { type MatrixEntry, rowOf, type SparseMatrix, sparseMatrix, transpose } from './sparse.js'

/**
 * The topology whose mixing matrices are `matrices`, one per round of a period; row and column k belong to `peers[k]`,
 * in any order.
 */
export function topologyOf(peers: readonly PeerName[], matrices: readonly SparseMatrix[]): Topology {
  const places = [...peers.keys()].sort((a, b) => byName(peers[a], peers[b]))
  const names = places.map((position) => peers[position])
  const period = matrices.map((matrix) => new RoundRows(names, reorder(matrix, places)))
  const rowNumbers = new Map(names.map((name, row) => [name, row]))
  return {
    peers: names,
    period: period.length,
    mixing(peer, round) {
      const row = rowNumbers.get(peer)
      if (row === undefined) throw new RangeError(`"${peer}" is not among the ${names.length} peers of this topology`)
      if (!Number.isSafeInteger(round) || round < 0) throw new RangeError(`found round ${round}, expected 0, 1, 2, …`)
      return period[round % period.length].mixing(row)
    }
  }
}

/** `W` of `round` as a matrix; row and column k belong to `topology.peers[k]`. Works on any topology. */
export function mixingMatrix(topology: Topology, round: number): SparseMatrix {
  const columns = new Map(topology.peers.map((name, column) => [name, column]))
  return sparseMatrix(
    topology.peers.map((peer, row) => {
      const { selfWeight, receiveFrom } = topology.mixing(peer, round)
      const others = receiveFrom.map(({ name, weight }) => ({ column: columns.get(name) ?? -1, value: weight }))
      return [...others, { column: row, value: selfWeight }]
    })
  )
}

/** The rows of one round, built on demand: no peer needs all rows of a large topology. */
class RoundRows {
  readonly #names: readonly PeerName[]
  readonly #matrix: SparseMatrix
  readonly #transposed: SparseMatrix
  readonly #cache: (Mixing | undefined)[]

  constructor(names: readonly PeerName[], matrix: SparseMatrix) {
    this.#names = names
    this.#matrix = matrix
    this.#transposed = transpose(matrix)
    this.#cache = new Array<Mixing | undefined>(matrix.size)
  }

  mixing(row: number): Mixing {
    return (this.#cache[row] ??= this.#mixingOf(row))
  }

  #mixingOf(row: number): Mixing {
    const name = (column: number) => this.#names[column]
    const entries = rowOf(this.#matrix, row)
    const others = entries.filter(({ column }) => column !== row)
    const targets = rowOf(this.#transposed, row).filter(({ column }) => column !== row)
    const edges = (all: readonly MatrixEntry[]) =>
      all.map(({ column, value }) => ({ name: name(column), weight: value }))
    const receiveFrom = edges(others)
    return {
      selfWeight: entries.find(({ column }) => column === row)?.value ?? 0,
      receiveFrom,
      sendTo: areSame(others, targets) ? receiveFrom : edges(targets)
    }
  }
}

function areSame(left: readonly MatrixEntry[], right: readonly MatrixEntry[]): boolean {
  if (left.length !== right.length) return false
  return left.every(
    ({ column, value }, position) => right[position].column === column && right[position].value === value
  )
}

/** The matrix with rows and columns in the order of `places`. */
function reorder(matrix: SparseMatrix, places: readonly number[]): SparseMatrix {
  const target = new Uint32Array(places.length)
  for (const [position, source] of places.entries()) target[source] = position
  return sparseMatrix(
    places.map((source) => rowOf(matrix, source).map(({ column, value }) => ({ column: target[column], value })))
  )
}
