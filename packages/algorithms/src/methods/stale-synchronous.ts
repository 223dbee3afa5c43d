/**
 * Stale synchronous parallel. c: a worker's clock, the number of its steps; s: the staleness. A worker computes on
 * parameters with all workers' updates of clocks up to c − s − 1, all of its own, and whatever else has arrived; it
 * waits for these, and after the last step for all updates.
 *
 * Updates u_i = −γ/n · direction, with the worker's own velocity, add up: s = 0 is the synchronous server. When the
 * slowest clock advances, a server sends all workers its parameters, and how many of the receiver's own updates they
 * contain (Dai et al. 2015, arXiv 1410.8043).
 */
import * as z from 'zod'
import { algorithm, type Arrival, linear, roundsField, type Vector } from '@murmuration/engine'
import { about, chunkOf, clocksOf, push, rangesHeldBy, serverOptions, slowest, slowestOf } from '../parts/servers.js'
import { lateOf, notIn, seenAtFirst, withUpdates } from '../parts/stale-cache.js'

export const staleSynchronous = algorithm({
  name: 'stale-synchronous',
  title: 'Stale synchronous parallel',
  source: 'Ho et al., NIPS 2013',
  options: z.strictObject({
    ...serverOptions,
    staleness: z.int().min(0).default(3).meta({ description: 'How many steps a worker may be ahead of the slowest' })
  }),
  needs: { servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  channels: { up: { part: 'range' }, down: { part: 'range', own: roundsField } },
  start: ({ x, zero }, node) => ({ x, zero, seen: seenAtFirst(node, x), updates: {} }),
  async round(node, { x, zero, seen: before, updates: earlier }, c) {
    const u = linear([1 / node.peers().length, node.step(zero, await node.gradient(x))])
    push(node, c, u)
    const seen = { ...before }
    const take = (arrival: Arrival<{ part: Vector; own: number }>) => {
      if (chunkOf(node, node.down, arrival)) seen[arrival.part] = { ...arrival.message, clock: arrival.round + 1 }
    }
    const needed = c + 1 === node.rounds ? c + 1 : c + 1 - node.options.staleness
    for (let arrival = await node.down.arrived(); arrival; arrival = await node.down.arrived()) take(arrival)
    const blocking = () => lateOf(node, seen, needed)
    while (blocking().length > 0) take(await node.down.next(blocking, { timeouts: 2 }))
    const updates = notIn(seen, { ...earlier, [c]: u })
    return { x: withUpdates(node, seen, updates), zero, seen, updates }
  },
  server: {
    start: ({ x }, node) => ({ chunks: rangesHeldBy(node, x), clocks: clocksOf(node) }),
    async round(node, state) {
      const chunks = { ...state.chunks }
      const clocks = { ...state.clocks }
      for (let open = Object.keys(chunks).length; open > 0;) {
        const arrival = await node.up.next(() => slowestOf(node, clocks))
        const chunk = chunkOf(node, node.up, arrival)
        const { from, round, message } = arrival
        if (chunk === undefined || round !== clocks[chunk.part][from]) continue
        const { part } = chunk
        const before = slowest(clocks[chunk.part])
        chunks[part] = linear([1, chunks[part]], [1, message.part])
        clocks[part] = { ...clocks[part], [from]: round + 1 }
        if (slowest(clocks[part]) === before) continue
        const to = about(node, chunk, before, node.peers())
        node.down.send(to, (worker) => ({ part: chunks[part], own: clocks[part][worker] }))
        open--
      }
      return { chunks, clocks }
    }
  }
})
