/**
 * The synchronous parameter server (Li et al.: Scaling distributed machine learning with the parameter server, OSDI 2014), the
 * centralised baseline of Lian et al. 2017 (D-PSGD): the servers hold the parameters; in each round every worker sends its
 * gradient, the servers take one step with the mean, and everybody gets the new parameters. It is SGD on the joint batch.
 *
 * With k servers each holds a part, a shard. Momentum and weight decay are the servers'. Gradients are summed in the order of
 * the workers' names, in float64. The servers' arithmetic is taken to cost no time.
 *
 * 'streamed' is the best that is known: everything is sent at once in pieces, and a server sends a piece's new parameters as
 * soon as all gradients of that piece have come, so that both directions of its line are busy: about n S/B + 2 a with one
 * server. 'blocking' is what clients of remote procedure calls do: one call at a time to each server, first a stretch's
 * gradient until it is acknowledged, then its parameters: 4 a for every stretch of a server.
 */
import type { Fabric, PeerName, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { ServerOptions } from './central.js'
import { streamedTurn, trainWithServers, type Turn } from './server-client.js'
import { placementOf, serverKinds, Shard } from './shard.js'
import { type Stretch, viewOf } from './stretches.js'
import { SynchronousPiece } from './synchronous-piece.js'
import { untrainedOf } from './untrained.js'

/** How a synchronous parameter server runs. */
export interface ParameterServerOptions extends ServerOptions {
  /** 'streamed' sends everything at once, in `pieces`; 'blocking' waits for every answer, and cuts nothing. */
  readonly calls: 'streamed' | 'blocking'
}

/** A worker of a synchronous parameter server. */
export function parameterServerWorker(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: ParameterServerOptions
): AsyncGenerator<StepReport, Float32Array> {
  const turn = options.calls === 'streamed' ? streamedTurn : blockingTurn
  return trainWithServers(fabric, task, options, placement(task, options), turn)
}

/** The servers' side: serves until all workers have what they need of the last round. */
export async function serveParameters(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: ParameterServerOptions
): Promise<void> {
  const { push, acknowledge, ask, parameters } = serverKinds
  const isBlocking = options.calls === 'blocking'
  const shard = await Shard.open(fabric, task, options, placement(task, options), (stretch, start) => {
    return new SynchronousPiece(stretch, start, options, untrainedOf(task.schema, stretch))
  })
  let open = shard.pieces.length * shard.workers.length * options.rounds
  const answer = (to: PeerName, piece: SynchronousPiece) => {
    shard.send(to, { kind: parameters, round: piece.round - 1, offset: piece.offset, vector: piece.parameters })
    open--
  }

  while (open > 0) {
    const { from, worker, piece, message } = await shard.next(() => missingFrom(shard))
    if (message.kind === push) {
      if (isBlocking) shard.send(from, { ...message, kind: acknowledge, vector: nothing })
      if (!piece.offer(worker, message)) shard.drop(message)
      if (!piece.isComplete()) continue
      for (const gradient of piece.step()) shard.drop(gradient)
      for (const to of isBlocking ? piece.asking.splice(0) : shard.workers) answer(to, piece)
    } else if (message.kind === ask && isBlocking && piece.ask(worker, message.round)) {
      if (message.round < piece.round) answer(from, piece)
      else piece.asking.push(from)
    }
  }
}

function placement(task: Task, options: ParameterServerOptions): readonly (readonly Stretch[])[] {
  return placementOf(task, options, options.calls === 'streamed' ? options.pieces : 1)
}

/** Whose gradients the piece lacks that is furthest behind. */
function missingFrom({ workers, pieces }: Shard<SynchronousPiece>): readonly PeerName[] {
  const last = pieces.reduce((slowest, piece) => (piece.round < slowest.round ? piece : slowest))
  return workers.filter((_, worker) => !last.has(worker))
}

const nothing = new Float32Array(0)

/** One call at a time to each server: the first stretch of every shard, then the second, and so on. */
const blockingTurn: Turn = async ({ mail, servers, placement }, round, gradient, x) => {
  const { push, acknowledge, ask, parameters } = serverKinds
  const longest = Math.max(...placement.map((stretches) => stretches.length))
  for (let index = 0; index < longest; index++) {
    const calls = servers.flatMap((server, place) =>
      placement[place].slice(index, index + 1).map((stretch) => ({ server, stretch }))
    )
    for (const { server, stretch } of calls) {
      mail.send(server, { kind: push, round, offset: stretch.offset, vector: viewOf(gradient, stretch) })
    }
    for (const { server, stretch } of calls) {
      await mail.receive(server, { kind: acknowledge, round, stretch: { offset: stretch.offset, length: 0 } })
    }
    for (const { server, stretch } of calls) {
      mail.send(server, { kind: ask, round, offset: stretch.offset, vector: nothing })
    }
    for (const { server, stretch } of calls) {
      await mail.receiveInto(x, server, { kind: parameters, round, stretch })
    }
  }
}
