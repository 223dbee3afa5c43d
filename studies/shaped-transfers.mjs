// Published transfers between real machines with shaped links, compared with the simulator.
//
//   node studies/shaped-transfers.mjs [FILE.csv] [--json]
//
// FILE has the columns op (allreduce, p2p, broadcast), n, MiB, delay_ms (one way), gbps, measured_ms. Without a file:
// the four rows below, measured with NCCL between cloud machines whose links tc shaped
// (BinhangYuan/tc_cluster_setting).
import { readFile } from 'node:fs/promises'
import { algorithm, broadcast, meanOver, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { measuredNetwork, simulate, uniformLinks } from '@murmuration/simulator'
import { frameHeaderLength, vectorWire } from '@murmuration/wire'
import Table from 'cli-table3'
import { z } from 'zod'

const own = `op,n,MiB,delay_ms,gbps,measured_ms
allreduce,4,128,1,5,329
allreduce,8,256,10,1,3841
p2p,2,128,0,2,541
broadcast,8,128,1,5,264`

/**
 * Bytes that are forwarded as a unit: NCCL's step, an eighth of its buffer of 4 MiB. A point-to-point transfer is not
 * divided.
 */
const step = 2 ** 19
const chunkBytes = { allreduce: step, p2p: Infinity, broadcast: step }

/**
 * Bytes in flight per round trip. With long delays the measured broadcasts slow down and the other operations do not,
 * as if the buffer of 4 MiB of a broadcast's single connection were free again after two round trips, not one, since
 * the space is requested before the bytes are sent. That is an interpretation; nothing in the measurements says so.
 */
const window = { allreduce: Infinity, p2p: Infinity, broadcast: 2 ** 21 }

const collectives = {
  allreduce: (node, x) => {
    const options = { collective: 'ring', fusion: 'fused', calls: 'streamed', chunks: node.options.chunks }
    return meanOver(node.all, node.route(0), x, { options, tensors: node.tensors })
  },
  broadcast: (node, x) => broadcast(node.all, node.route(0), x, node.options),
  p2p: async (node, x) => {
    const [first, last] = node.peers()
    const range = { offset: 0, length: x.length }
    if (node.self === first) node.all.send({ ...node.route(0, [last]), range }, { part: x })
    else await node.all.collect({ ...node.route(0, [first]), range })
    return x
  }
}

/** A single round of an operation. */
const once = algorithm({
  name: 'once',
  title: 'One operation',
  source: 'this benchmark',
  options: z.strictObject({ op: z.string(), chunks: z.int() }),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  round: async (node, { x }) => ({ x: await collectives[node.options.op](node, x) })
})

/** A task that only gives the length of the parameters. */
const taskOf = (length) => ({
  schema: [{ name: 'x', shape: [length] }],
  samples: 1,
  about: {},
  initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(length).fill(1) })
})

function linksOf(op, latency, gbps) {
  const links = uniformLinks({ latency, bandwidth: gbps * 1e9 })
  return { ...links, path: (from, to) => ({ ...links.path(from, to), window: window[op] }) }
}

/**
 * Milliseconds of the transfer in virtual time. A few numbers stand for the many bytes, each for the same part of them.
 */
async function predict({ op, n, MiB, delay_ms, gbps }) {
  const bytes = MiB * 2 ** 20
  const parts = op === 'allreduce' ? n : 1
  const chunks = Math.max(1, Math.ceil(bytes / parts / chunkBytes[op]))
  const length = parts * chunks
  const payloadLength = ({ vector }) => (vector.length / length) * bytes
  const peers = Array.from({ length: n }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))
  const { elapsed } = await simulate(
    {
      topology: { peers, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) },
      seed: 1,
      wire: { ...vectorWire, payloadLength, byteLength: (message) => frameHeaderLength + payloadLength(message) },
      links: linksOf(op, delay_ms, gbps),
      network: measuredNetwork,
      cost: () => 0,
      queueLimit: 1e6
    },
    async (fabric) => {
      const settings = { algorithm: once, options: { op, chunks }, seed: 1, batchSize: 1, rounds: 1, rate: () => 1 }
      const steps = train(fabric, taskOf(length), { ...settings, timeout: 1e9, workers: peers })
      while (!(await steps.next()).done) continue
    }
  )
  return elapsed
}

const [path] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const [header, ...lines] = (path === undefined ? own : await readFile(path, 'utf8')).trim().split(/\r?\n/)
const columns = header.split(',')
const results = []
for (const line of lines) {
  const row = Object.fromEntries(line.split(',').map((cell, k) => [columns[k], k === 0 ? cell : Number(cell)]))
  const predicted = await predict(row)
  results.push({ ...row, predicted_ms: predicted, error: predicted / row.measured_ms - 1 })
}
if (process.argv.includes('--json')) for (const result of results) console.log(JSON.stringify(result))
else {
  const table = new Table({
    head: ['', 'n', 'MiB', 'delay', 'Gbit/s', 'measured', 'simulated', 'error'],
    style: { head: [] }
  })
  for (const { op, n, MiB, delay_ms, gbps, measured_ms, predicted_ms, error } of results) {
    const percent = `${error < 0 ? '−' : '+'}${Math.abs(100 * error).toFixed(1)} %`
    table.push([op, n, MiB, `${delay_ms} ms`, gbps, `${measured_ms} ms`, `${predicted_ms.toFixed(0)} ms`, percent])
  }
  console.log(table.toString())
}
