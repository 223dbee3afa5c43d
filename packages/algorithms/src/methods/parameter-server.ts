/**
 * The synchronous parameter server: SGD on the joint batch. 'streamed': a chunk's new parameters are sent as soon as
 * all of its gradients have arrived, about n S/B + 2 a. 'blocking', as remote calls: one chunk at a time, its gradient,
 * an acknowledgement, then a request (no numbers) and the reply: 4 a per chunk.
 */
import * as z from 'zod'
import { callServers, Contributions, lacksAny } from '../parts/contributions.js'
import { algorithm, meanOf, type Vector } from '@murmuration/engine'
import { about, chunkOf, heldBy, pull, push, rangesHeldBy, serverOptions } from '../parts/servers.js'

export const parameterServer = algorithm({
  name: 'parameter-server',
  title: 'Parameter server',
  source: 'Li et al., OSDI 2014; the baseline of Lian et al., NIPS 2017',
  options: z.strictObject({
    ...serverOptions,
    calls: z.enum(['streamed', 'blocking']).default('streamed').meta({
      description: 'streamed: all chunks are sent at once. blocking: each waits for the answers to the one before'
    })
  }),
  needs: { servers: 1, delivery: 'reliable' },
  keeps: 'equality',
  channels: { up: { part: 'range' }, acknowledged: {}, down: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const g = await node.gradient(x)
    if (node.options.calls === 'blocking') return { x: await callServers(node, k, g) }
    push(node, k, g)
    return { x: await pull(node, k) }
  },
  server: {
    start: ({ x }, node) => ({ chunks: rangesHeldBy(node, x) }),
    async round(node, { chunks }, k) {
      const workers = node.peers()
      const isBlocking = node.options.calls === 'blocking'
      const turns = new Map(heldBy(node).map(({ part }) => [part, new Contributions()]))
      const next: Record<string, Vector> = {}
      const lacking = () => workers.filter((worker) => lacksAny(turns, worker, isBlocking))
      for (let open = turns.size * workers.length; open > 0;) {
        const arrival = await node.up.next(lacking, { round: k })
        const { from, round, message } = arrival
        const chunk = chunkOf(node, node.up, arrival)
        const turn = turns.get(chunk?.part ?? -1)
        if (chunk === undefined || round !== k || !turn?.take(from, message)) continue
        const { part, range } = chunk
        const isGradient = message.part.length > 0
        if (isGradient && isBlocking) node.acknowledged.send(about(node, chunk, k, [from]), {})
        if (isGradient && turn.gradients.size === workers.length) {
          const { part: g } = meanOf(node.route(k), Object.fromEntries(turn.gradients)) // in the order of names
          next[part] = node.step(chunks[part], g, range)
        }
        if (next[part] === undefined) continue
        const to = isBlocking ? turn.waiting.splice(0) : workers
        node.down.send(about(node, chunk, k, to), { part: next[part] })
        open -= to.length
      }
      return { chunks: next }
    }
  }
})
