/**
 * Decoupled DiLoCo: servers merge changes as soon as a quorum of the workers has done H steps. A server then calls the
 * other workers for their changes so far, and continues without those still missing once nothing has arrived for the
 * grace window. A worker that missed a merge is not waited for until it has sent again. Changes are weighted by work, w
 * = tokens · tokens / steps: by steps, since all batches are alike here. Δ = Σ w Δ_m / Σ w over the workers present,
 * then a Nesterov step on Δ (not a delayed one: the workers present make one step). Of the paper the abstract was read,
 * and the rule in two summaries. The call is not from the paper (there a server reads a worker's state), and here a
 * worker waits until it is merged.
 */
import * as z from 'zod'
import { algorithm, linear, rangeOf, roundsField } from '@murmuration/engine'
import {
  gathered,
  meanByWork,
  merged,
  mergedWith,
  initialWorkers,
  openOf,
  presentOf,
  quorumOptions
} from '../parts/quorum.js'
import { about, chunksOf, heldBy, outerOptions, rangesHeldBy, toServer } from '../parts/servers.js'

export const decoupledDiloco = algorithm({
  name: 'decoupled-diloco',
  title: 'Decoupled DiLoCo',
  source: 'Douillard et al. 2026, arXiv 2604.21428 (only the abstract was read)',
  options: z.strictObject({ ...outerOptions, ...quorumOptions }),
  needs: { servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x'],
  workers: ({ quorum }) => quorum,
  channels: { up: { part: 'range', steps: roundsField, left: roundsField }, call: {}, down: { part: 'range' } },
  start: ({ x }) => ({ x, θ: x, base: 0, merges: 0 }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, base, merges }, k) {
    const inner = node.step(x, await node.gradient(x))
    const steps = k + 1 - base
    const left = node.rounds - k - 1
    let isDue = steps >= node.options.period || left === 0
    for (let call = await node.call.arrived(); call; call = await node.call.arrived()) isDue ||= call.round === merges
    if (!isDue) return { x: inner, θ, base, merges }
    const Δ = linear([1, θ], [-1, inner])
    for (const chunk of chunksOf(node))
      node.up.send(toServer(node, chunk, k), { part: rangeOf(Δ, chunk.range), steps, left })
    const next = await mergedWith(node, k)
    return { x: next, θ: next, base: k + 1, merges: merges + 1 }
  },
  server: {
    start({ x, zero }, node) {
      return { chunks: rangesHeldBy(node, x), m: rangesHeldBy(node, zero), workers: initialWorkers(node) }
    },
    async round(node, state, k) {
      const { outerRate: η, momentum: β } = node.options
      const chunks = { ...state.chunks }
      const m = { ...state.m }
      let { workers } = state
      do {
        workers = await gathered(node, workers)
        const present = presentOf(node, workers)
        for (const chunk of present.length > 0 ? heldBy(node) : []) {
          const { part, range } = chunk
          const θ = chunks[chunk.part]
          const Δ = meanByWork(workers, present, part)
          m[part] = linear([β, m[part]], [1, Δ]) //                                 m ← β m + Δ
          const next = linear([1, θ], [-η, Δ], [-η * β, m[part]]) //                θ ← θ − η (Δ + β m)
          chunks[part] = node.withStatistics(next, linear([1, θ], [-1, Δ]), range.offset)
          for (const w of present)
            node.down.send(about(node, chunk, workers[w].come[part].round, [w]), { part: chunks[part] })
        }
        workers = merged(node, workers)
      } while (k + 1 === node.rounds && openOf(node, workers).length > 0)
      return { chunks, m, workers }
    }
  }
})
