/**
 * The asynchronous parameter server: no barrier. A server takes a step along each worker's gradient as it arrives, at
 * the rate of that worker's round, and replies with the newest parameters. So a gradient is of parameters that others
 * have changed since. At the same rate it moves n times as far as the synchronous server. A server's round is as many
 * gradients as there are workers.
 */
import * as z from 'zod'
import { algorithm } from '@murmuration/engine'
import { about, chunkOf, clocksOf, pull, push, rangesHeldBy, serverOptions, slowestOf } from '../parts/servers.js'

export const asyncParameterServer = algorithm({
  name: 'async-parameter-server',
  title: 'Asynchronous parameter server',
  source: 'Dean et al., NIPS 2012 (Downpour SGD), one step between exchanges',
  options: z.strictObject(serverOptions),
  needs: { servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  channels: { up: { part: 'range' }, down: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    push(node, k, await node.gradient(x))
    return { x: await pull(node, k) }
  },
  server: {
    start: ({ x }, node) => ({ chunks: rangesHeldBy(node, x), clocks: clocksOf(node) }),
    async round(node, state) {
      const chunks = { ...state.chunks }
      const clocks = { ...state.clocks }
      for (let open = Object.keys(chunks).length * node.peers().length; open > 0;) {
        const arrival = await node.up.next(() => slowestOf(node, clocks))
        const chunk = chunkOf(node, node.up, arrival)
        const { from, round, message } = arrival
        if (chunk === undefined || round !== clocks[chunk.part][from]) continue
        const { part, range } = chunk
        chunks[part] = node.step(chunks[part], message.part, { offset: range.offset, round }) // x ← x − γ g, at once
        clocks[part] = { ...clocks[part], [from]: round + 1 }
        node.down.send(about(node, chunk, round, [from]), { part: chunks[part] })
        open--
      }
      return { chunks, clocks }
    }
  }
})
