/**
 * The asynchronous parameter server: no barrier. A server takes a step along every worker's gradient as it comes, at the rate
 * of that worker's round, and answers with the newest parameters; so a gradient is taken at parameters that others have
 * changed meanwhile (Dean et al.: Large scale distributed deep networks, NIPS 2012, Downpour SGD with one step between
 * exchanges; without locks between pieces, as in Recht et al.: Hogwild!, NIPS 2011).
 *
 * Where the synchronous server takes one step with the mean of n gradients, this one takes n steps: at the same rate it goes n
 * times as far. Momentum and weight decay are the servers'.
 */
import type { Fabric, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { ServerOptions } from './central.js'
import { Descent } from './descent.js'
import { streamedTurn, trainWithServers } from './server-client.js'
import { placementOf, serverKinds, Shard } from './shard.js'
import { untrainedOf } from './untrained.js'

/** A worker of an asynchronous parameter server: it cannot tell it from a synchronous one whose answers are streamed. */
export function asyncParameterServerWorker(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: ServerOptions
): AsyncGenerator<StepReport, Float32Array> {
  return trainWithServers(fabric, task, options, placementOf(task, options, options.pieces), streamedTurn)
}

/**
 * The servers' side: serves until every worker has had an answer in each of its rounds. One that leaves does not hold the
 * others up, and is named when they have ended.
 */
export async function serveAsyncParameters(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: ServerOptions
): Promise<void> {
  const { push, parameters } = serverKinds
  const { rate, rounds } = options
  const places = placementOf(task, options, options.pieces)
  const shard = await Shard.open(fabric, task, options, places, (stretch, start) => ({
    ...stretch,
    descent: new Descent(stretch.length, options, untrainedOf(task.schema, stretch)),
    parameters: start,
    /** How many gradients of each worker it has taken. */
    taken: options.workers.map(() => 0)
  }))
  const unfinished = () => shard.workers.filter((_, worker) => shard.pieces.some(({ taken }) => taken[worker] < rounds))

  let open = shard.pieces.length * shard.workers.length * rounds
  while (open > 0) {
    const { from, worker, piece, message } = await shard.next(unfinished)
    const { kind, round, vector } = message
    if (kind === push && round === piece.taken[worker]) {
      piece.parameters = piece.descent.step(piece.parameters, piece.parameters, { vector }, rate(round), round)
      piece.taken[worker]++
      open--
      shard.send(from, { kind: parameters, round, offset: piece.offset, vector: piece.parameters }, true)
    }
    shard.drop(message)
  }
}
