/**
 * Hop: D-PSGD that continues without the slowest neighbours. A round averages the models of all but b neighbours. A
 * model counts if it is at most s rounds older than the round; weights are normalised over the models that count. No
 * peer is more than G rounds ahead of a neighbour, so at most 2 G models are in flight to it (the paper uses token
 * queues for that). A model of a later round waits for that round. Iterations are not skipped, so a peer that is always
 * slow holds others up once they are G rounds ahead. With b = 0 and s = 0, or with G = 1, it is D-PSGD; otherwise
 * faster peers count for more, and the mean is not kept. Of the paper the abstract was read, and its mechanisms as
 * others describe them; normalising the weights is not from it.
 */
import { invariant } from '@murmuration/core'
import * as z from 'zod'
import {
  algorithm,
  type Arrival,
  checkAhead,
  linearOf,
  type PerPeer,
  perPeer,
  type Term,
  valueOf,
  type Vector
} from '@murmuration/engine'

const tooFar = 'at most 3: a peer 4 rounds ahead would overflow the queue of 8 models to a neighbour that is behind'

export const hop = algorithm({
  name: 'hop',
  title: 'Hop',
  source: 'Luo et al., ASPLOS 2019, arXiv 1902.01064 (only the abstract was read)',
  pace: 'own',
  options: z.strictObject({
    backup: z.int().min(0).default(1).meta({ description: 'b, how many neighbours a round does not wait for' }),
    staleness: z.int().min(0).default(0).meta({ description: 's, how many rounds old a model may be and still count' }),
    gap: z.int().min(1).max(3, tooFar).default(2).meta({ description: 'G, maximum rounds ahead of a neighbour' })
  }),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { model: { x: 'vector' } },
  start({ x }, { options: { gap } }): { x: Vector; seen: PerPeer<SeenMessage> } {
    checkAhead(2 * gap, x.length, `Hop's gap of ${gap}`)
    return { x, seen: perPeer() }
  },
  async round(node, { x, seen: before }, k) {
    const { backup, staleness, gap } = node.options
    const W = node.mixing(k)
    const seen = Object.assign(perPeer<SeenMessage>(), before)
    const behind = (round: number) => W.from.filter((j) => (seen[j]?.round ?? -1) < round)
    const stale = () => behind(Math.max(0, k - staleness))
    invariant(behind(k - gap).length === 0, () => `${node.self} is ${gap + 1} rounds ahead of ${behind(k - gap)[0]}`)
    node.model.send(W, { x })
    const g = await node.gradient(x)
    const take = ({ from, round, message }: Arrival<{ x: Vector }>) => {
      if (round > (seen[from]?.round ?? -1)) seen[from] = { x: message.x, round }
    }
    const upTo = { round: k, timeouts: 2 }
    for (let arrival = await node.model.arrived(upTo); arrival; arrival = await node.model.arrived(upTo)) take(arrival)
    const blocking = () => (stale().length > backup ? stale() : behind(k - gap + 1))
    while (blocking().length > 0) take(await node.model.next(blocking, upTo))
    const used = W.from.filter((j) => !stale().includes(j))
    const sum = used.reduce((total, j) => total + W.row(j), W.own)
    const terms = used.map((j): Term<Vector> => [W.row(j) / sum, valueOf(seen, j).x])
    return { x: node.step(linearOf([[W.own / sum, x], ...terms]), g), seen }
  }
})

interface SeenMessage {
  readonly [name: string]: Vector | number
  readonly x: Vector
  readonly round: number
}
