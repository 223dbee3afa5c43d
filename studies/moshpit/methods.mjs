// What is averaged with what in a round: of each peer, from whom it receives and to whom it sends.
import { algorithms } from '@murmuration/algorithms'
import { createTopology, sparseMatrix, topologyOf } from '@murmuration/topology'

const groupSize = 32
const recordOf = (name) => algorithms.find((each) => each.name === name)

/** A topology's rows; those of the published runs are counted from 1. */
function along(record, topology) {
  return { record, rows: (round) => (peer) => topology.mixing(peer, round) }
}

/**
 * Each peer receives from those at the distances 2^h and 2^(h+1), by thirds; h goes from 0 to ⌊log₂(n − 1)⌋ − 1, round
 * by round.
 */
function exponential(peers) {
  const n = peers.length
  return byRound(peers, (h) => peers.map((_, i) => [i, (i + 2 ** h) % n, (i + 2 ** (h + 1)) % n]))
}

/**
 * The same as it was published: a matrix is shifted as one list, row after row, so that what wraps around comes to lie
 * in the next row.
 */
function publishedExponential(peers) {
  const n = peers.length
  return byRound(peers, (h) => {
    const rows = peers.map((_, i) => [i])
    for (const distance of [2 ** h, 2 ** (h + 1)]) {
      for (let i = 0; i < n; i++) {
        const place = (i * n + i + distance) % n ** 2
        rows[Math.floor(place / n)].push(place % n)
      }
    }
    return rows
  })
}

/** The topology in which each row of a round averages over those that it lists. */
function byRound(peers, rowsOf) {
  const matrixOf = (rows) =>
    rows.map((row) =>
      [...new Set(row)].map((column) => ({ column, value: row.filter((each) => each === column).length / row.length }))
    )
  const period = Math.max(1, Math.floor(Math.log2(peers.length - 1)))
  return topologyOf(
    peers,
    Array.from({ length: period }, (_, h) => sparseMatrix(matrixOf(rowsOf(h))))
  )
}

/** Those that are there are divided at random among groups of 32; who is left over is dealt out to them. */
function randomGroups(peers, random) {
  const rows = (_, alive) => {
    const order = random.shuffle([...alive])
    const count = Math.max(1, Math.floor(order.length / groupSize))
    const whole = groupSize * count
    const groupOf = new Map(
      order.map((peer, place) => [peer, place < whole ? Math.floor(place / groupSize) : (place - whole) % count])
    )
    return (peer) => {
      const group = alive.filter((other) => groupOf.get(other) === groupOf.get(peer))
      const weight = 1 / group.length
      const others = group.filter((other) => other !== peer).map((name) => ({ name, weight }))
      return { selfWeight: weight, receiveFrom: others, sendTo: others }
    }
  }
  return { record: recordOf('moshpit'), rows }
}

/** Beside each its column in the file, if it has one. Only Moshpit averaging looks at the grid. */
export const methods = [
  ['allreduce', () => undefined],
  ['gossip_ring', (peers) => along(recordOf('dpsgd'), createTopology({ peers, graph: { kind: 'ring' } }))],
  ['sgp', (peers) => along(recordOf('dpsgd'), publishedExponential(peers))],
  ['push-sum', (peers) => along(recordOf('sgp'), exponential(peers))],
  ['random_groups32', randomGroups],
  [
    'moshpit32x32',
    (peers, _, grid) => {
      const side = Math.max(groupSize, Math.ceil(Math.sqrt(peers.length)))
      return along(
        recordOf('moshpit'),
        createTopology({ peers, graph: { kind: 'moshpit-grid', side, dimensions: 2, seed: grid } })
      )
    }
  ]
]
