/**
 * Parameter services: stateless servers between the workers and a store that all services share. A worker sends its
 * update, or with α < 1 its parameters, to one service. The service reads the parameters from the store, changes them,
 * writes them back, and replies with them (VC-ASGD). Writes of other services in between are overwritten and lost:
 * eventual consistency. With `atomic` the store adds instead. There is no barrier, so n workers move the parameters n
 * times as far as one; see `scale: 1/peers` of the rate. A service holds no state, so workers skip one that has failed.
 */
import * as z from 'zod'
import { algorithm, linear } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'
import { askAny, endOf, sendEnd, serve, unlessMissing } from '../parts/services.js'

/** The clock of a worker that was silent for too long. */
const goneClock = Number.MAX_SAFE_INTEGER

export const parameterServices = algorithm({
  name: 'parameter-services',
  title: 'Parameter services',
  source: 'Atre, Jha and Rao, IPDPSW 2021, arXiv 2103.08894',
  options: z.strictObject({
    period: z.int().min(1).default(1).meta({ description: 'Steps between two exchanges with a service' }),
    alpha: z.number().gt(0).max(1).default(1).meta({
      description:
        'Below 1: services average, w ← α w + (1 − α) x, with the parameters x of a worker. 1: they add updates'
    }),
    atomic: z.boolean().default(false).meta({ description: 'Whether the store adds, so that no update is lost' }),
    chunks: z.int().min(1).max(4096).default(1).meta({ description: 'How many objects the parameters are stored as' })
  }),
  needs: { servers: 1, store: true },
  keeps: 'nothing',
  channels: { up: { part: 'range' }, down: { part: 'range' } },
  start: ({ x }, { self, peers }) => ({ x, base: x, service: Math.max(0, peers().indexOf(self)) }),
  async round(node, { x, base, service }, k) {
    const { alpha } = node.options
    const next = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: next, base, service }
    const served = await askAny(node, k, service, alpha === 1 ? linear([1, next], [-1, base]) : next)
    const now = k + 1 === node.rounds ? await endOf(node, served.x) : served.x
    return { x: now, base: now, service: served.service }
  },
  server: {
    start: ({ x }, { peers }) => ({ initial: x, clocks: Object.fromEntries(peers().map((worker) => [worker, 0])) }),
    async round(node, { initial, clocks: before }, k) {
      const clocks = { ...before }
      const timeouts = 2 * node.options.period
      const unfinished = () => node.peers().filter((worker) => clocks[worker] < node.rounds)
      // A round takes as many messages as there are workers; the last round ends when all workers have finished.
      for (let open = node.peers().length; (open > 0 || k + 1 === node.rounds) && unfinished().length > 0; open--) {
        const arrival = await unlessMissing(node.up.next(unfinished, { timeouts }))
        // A worker that is no longer heard is gone, and sends no more requests.
        if (arrival === undefined) for (const worker of unfinished()) clocks[worker] = goneClock
        else if (await serve(node, initial, arrival)) clocks[arrival.from] = arrival.round + 1
      }
      const areAllThere = Object.values(clocks).every((clock) => clock === node.rounds)
      if (k + 1 === node.rounds) await sendEnd(node, initial, areAllThere)
      return { initial, clocks }
    }
  }
})
