/**
 * Stale synchronous parallel (Ho et al.: More effective distributed ML via a stale synchronous parallel parameter server, NIPS
 * 2013). Symbols: `c` a worker's clock, the number of steps that it has taken; `s` the staleness.
 *
 * A worker computes on its cache. At clock c that holds all updates of clocks up to c − s − 1 of all workers, all of its own, and
 * whatever else has come; otherwise the worker waits. So nobody is more than s steps ahead of the slowest.
 *
 * Updates add up: worker i sends u_i = −rate(c)/n · direction, the direction with its own velocity and with weight decay at the
 * parameters that it computed on, and the servers add u_i to the parameters as it comes, in float64. With s = 0 that is
 * the synchronous parameter server, momentum included, since a direction is linear in velocity, gradient and parameters.
 *
 * Reading is eager (Dai et al.: High-performance distributed ML at scale through parameter server consistency models, 2015, arXiv
 * 1410.8043): whenever the slowest worker's clock moves on, a server sends everybody the newest parameters there are, unasked.
 * A worker takes in what has come between two steps, and waits only when that is too old. The last read waits for everybody's
 * last update, so that all workers end with the same parameters.
 */
import { type Fabric, invariant, type PeerName, type StepReport, type Task } from '@murmuration/core'
import { scale, type VectorMessage } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { reportOf, type StaleSynchronousOptions } from './central.js'
import { Descent } from './descent.js'
import { placementOf, serverKinds, Shard } from './shard.js'
import { StaleCache } from './stale-cache.js'
import { StalePiece } from './stale-piece.js'
import { untrainedOf } from './untrained.js'

/** A worker of a stale synchronous parameter server. */
export async function* staleSynchronousWorker(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: StaleSynchronousOptions
): AsyncGenerator<StepReport, Float32Array> {
  const { staleness } = options
  invariant(Number.isSafeInteger(staleness) && staleness >= 0, () => `nobody can be ${staleness} steps ahead`)
  const start = await fabric.work(task.initialise(options.seed))
  const cache = new StaleCache(fabric, start, placementOf(task, options, options.pieces), options)
  const descent = new Descent(start.length, options, untrainedOf(task.schema))
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  for (let c = 0; c < options.rounds; c++) {
    fabric.signal.throwIfAborted()
    const x = cache.parameters
    const gradient = await fabric.work(task.gradient(x, batches.next(), c))
    const step = descent.increment(x, gradient, options.rate(c), c)
    cache.push(c, scale(step, 1 / options.workers.length))
    const pushed = fabric.now()
    await cache.read(c + 1)
    yield reportOf(options, c, { loss: gradient.loss, waited: fabric.now() - pushed, parameters: cache.parameters })
  }
  return cache.parameters
}

/** The servers' side: serves until everybody has been sent everybody's last update. */
export async function serveStaleParameters(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: StaleSynchronousOptions
): Promise<void> {
  const { push } = serverKinds
  const places = placementOf(task, options, options.pieces)
  const shard = await Shard.open(fabric, task, options, places, (stretch, start) => {
    return new StalePiece(stretch, start, options.workers.length)
  })
  let open = shard.pieces.length * options.rounds
  while (open > 0) {
    const { worker, piece, message } = await shard.next(() => slowestOf(shard))
    const { kind, round, vector } = message
    if (kind === push && piece.add(worker, round, vector)) {
      sendToAll(shard, piece)
      open--
    }
    shard.drop(message)
  }
}

/** Sends everybody the newest parameters, and before that, to whom it is not clear, which of its own updates are in them. */
function sendToAll(shard: Shard<StalePiece>, piece: StalePiece): void {
  const { acknowledge, parameters } = serverKinds
  const { offset, slowest } = piece
  const message = { kind: parameters, round: slowest - 1, offset, vector: piece.snapshot() }
  for (const [worker, name] of shard.workers.entries()) {
    const ahead = piece.clockOf(worker)
    if (ahead > slowest) shard.send(name, { kind: acknowledge, round: ahead - 1, offset, vector: nothing })
    shard.send(name, message)
  }
}

const nothing = new Float32Array(0)

/** The workers whose updates the piece lacks that is furthest behind. */
function slowestOf({ workers, pieces }: Shard<StalePiece>): readonly PeerName[] {
  const last = pieces.reduce((slowest, piece) => (piece.slowest < slowest.slowest ? piece : slowest))
  return workers.filter((_, worker) => last.clockOf(worker) === last.slowest)
}
