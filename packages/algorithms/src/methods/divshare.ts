/**
 * DivShare: every H steps a peer cuts its parameters into fragments and sends each to a few randomly drawn neighbours.
 * A slow link delivers some of them, where a whole model would be late. No peer waits. After the next H steps each
 * number becomes the mean of the peer's own value and the newest received fragment of each sender. The authors discard
 * what is still unsent by then. Here a receiver acknowledges what it has taken, and a neighbour that acknowledges
 * nothing gets no fragments for a while. With one fragment it is Epidemic Learning (de Vos et al., NeurIPS 2023)
 * without its rounds. The abstract and the authors' code were read; fragments are ranges here, and drawn sets of
 * numbers there. Receivers are drawn, so the mean is kept only on average, and faster peers count for more. With c
 * models that are τ exchanges old in an average it moves 1 + τ c / (1 + c) times as slowly.
 */
import type { PeerName } from '@murmuration/core'
import * as z from 'zod'
import {
  algorithm,
  concat,
  cut,
  linearOf,
  type PerPeer,
  perPeer,
  type Range,
  rangeOf,
  type Term,
  type Vector
} from '@murmuration/engine'
import { atPeriod } from '../parts/schedule.js'

/**
 * A neighbour with so many exchanges unacknowledged gets no fragments: no more than their fragments queue before a slow
 * line.
 */
const maxUnacknowledged = 2
/** After so many it gets fragments again: those, or what acknowledged them, may be lost. */
const triedAgainAfter = 16
/** Until then it is sent an empty message in the first of so many exchanges, so that it hears of this peer. */
const signOfLifeEvery = 4

export const divShare = algorithm({
  name: 'divshare',
  title: 'DivShare',
  source: 'Biswas et al., WWW 2025, arXiv 2410.12918 (only the abstract and the authors’ code were read)',
  pace: 'own',
  options: z.strictObject({
    period: z.int().min(1).default(1).meta({ description: 'H, steps between two exchanges' }),
    fragments: z.int().min(1).default(8).meta({ description: 'Into how many fragments the parameters are cut' }),
    receivers: z.int().min(1).default(2).meta({ description: 's, to how many neighbours each fragment goes' })
  }),
  needs: {},
  keeps: 'nothing',
  channels: { fragments: { x: 'range' } },
  start: ({ x }): { x: Vector; under: PerPeer<Under> } => ({ x, under: perPeer() }),
  async round(node, { x, under: before }, k) {
    const { period, fragments, receivers: s } = node.options
    const half = node.step(x, await node.gradient(x))
    if (!atPeriod(node, k)) return { x: half, under: before }
    const { to, peer } = node.mixing(k)
    const random = node.random('receivers', k)
    const send = (j: PeerName, round: number, part: number, range: Range) =>
      node.fragments.send({ peer, round, part, range, to: [j], from: [] }, { x: rangeOf(half, range) }).length === 0
    const ranges = cut({ offset: 0, length: x.length }, fragments)
    const newest = ranges.map(() => new Map<PeerName, Vector>())
    const under = Object.assign(perPeer<Under>(), before)
    const taken = new Map<PeerName, number>()
    for (let arrival = await node.fragments.arrived(); arrival; arrival = await node.fragments.arrived()) {
      const { from, round, part } = arrival
      const v = arrival.message.x
      const isFragment = ranges[part]?.length === v.length && ranges[part].offset === v.offset
      if (v.length > 0) taken.set(from, round)
      if (isFragment) newest[part].set(from, v)
      else if (v.length > 0) node.fragments.reject(arrival, `${v.length} numbers as fragment ${part}, which differs`)
      else {
        const { since, last } = under[from] ?? { since: 0, last: 0 }
        if (round >= last) delete under[from]
        else under[from] = { since: Math.max(since, round + period), last }
      }
    }
    const waits = (j: PeerName) => (k - (under[j]?.since ?? k)) / period
    for (const j of to) if (waits(j) >= triedAgainAfter) delete under[j]
    const hears = (j: PeerName) => waits(j) % signOfLifeEvery === maxUnacknowledged
    const acknowledged = new Set([...taken.keys(), ...to.filter(hears)])
    for (const j of acknowledged) send(j, taken.get(j) ?? 0, 0, { offset: 0, length: 0 })
    const drawn = ranges.map(() => random.shuffle(to).slice(0, s))
    for (const [part, j] of random.shuffle(drawn.flatMap((all, part) => all.map((j) => [part, j] as const))))
      if (waits(j) < maxUnacknowledged && send(j, k, part, ranges[part]))
        under[j] = { since: under[j]?.since ?? k, last: k }
    return { x: concat(ranges.map((range, part) => mean([rangeOf(half, range), ...newest[part].values()]))), under }
  }
})

/** The first and the last round of a neighbour's unacknowledged fragments. */
type Under = { readonly since: number; readonly last: number }

const mean = (all: readonly Vector[]): Vector => linearOf(all.map((each): Term<Vector> => [1 / all.length, each]))
