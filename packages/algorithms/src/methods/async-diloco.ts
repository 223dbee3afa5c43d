/**
 * Asynchronous DiLoCo: a worker takes H inner steps from θ, pushes the change, and continues from the server's
 * parameters. Delayed Nesterov with c = 0: each of N changes (N: the number of workers) moves θ at once, and after
 * every N changes the momentum m moves it too. Together they are one Nesterov step on the mean change. The rule is from
 * code.
 */
import * as z from 'zod'
import { algorithm, linear } from '@murmuration/engine'
import { endsPeriod, roundsOfPeriods } from '../parts/schedule.js'
import {
  about,
  chunkOf,
  clocksOf,
  countOf,
  outerOptions,
  pull,
  push,
  rangesHeldBy,
  slowestOf
} from '../parts/servers.js'

export const asyncDiloco = algorithm({
  name: 'async-diloco',
  title: 'Asynchronous DiLoCo',
  source: 'Liu et al. 2024, arXiv 2401.09135 (delayed Nesterov)',
  options: z.strictObject(outerOptions),
  needs: { servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x'],
  channels: { up: { part: 'range' }, down: { part: 'range' } },
  start: ({ x }) => ({ x, θ: x }),
  model: ({ θ }) => θ,
  async round(node, { x, θ }, k) {
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ }
    push(node, k, linear([1, θ], [-1, inner])) //                        Δ = θ − x_i
    const next = await pull(node, k)
    return { x: next, θ: next }
  },
  server: {
    start: ({ x, zero }, node) => ({
      chunks: rangesHeldBy(node, x),
      m: rangesHeldBy(node, zero),
      clocks: clocksOf(node)
    }),
    async round(node, state, k) {
      const { outerRate: η, momentum: β } = node.options
      const chunks = { ...state.chunks }
      const m = { ...state.m }
      const clocks = { ...state.clocks }
      const N = node.peers().length
      for (let open = endsPeriod(node, k) ? Object.keys(chunks).length * N : 0; open > 0;) {
        const arrival = await node.up.next(() => slowestOf(node, clocks))
        const chunk = chunkOf(node, node.up, arrival)
        const { from, round, message } = arrival
        const ended = (of: number) => roundsOfPeriods(node, clocks[of][from])
        const isDue = (of: number) =>
          ended(of) < node.rounds && round + 1 === roundsOfPeriods(node, clocks[of][from] + 1)
        if (chunk === undefined || !isDue(chunk.part)) continue
        const { part, range } = chunk
        const θ = chunks[part]
        const Δ = message.part
        const count = countOf(clocks[part])
        clocks[part] = { ...clocks[part], [from]: clocks[part][from] + 1 }
        m[part] = linear([count % N === 0 ? β : 1, m[part]], [1 / N, Δ]) //          m ← β m + mean Δ, over N changes
        const plain = linear([1, θ], [-η / N, Δ]) //                                 θ ← θ − η Δ / N
        const next = (count + 1) % N === 0 ? linear([1, plain], [-η * β, m[part]]) : plain // and θ ← θ − η β m
        chunks[part] = node.withStatistics(next, linear([1, θ], [-1 / N, Δ]), range.offset)
        node.down.send(about(node, chunk, round, [from]), { part: chunks[part] })
        open--
      }
      return { chunks, m, clocks }
    }
  }
})
