import type { Fabric, PeerName, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { reportOf, type ServerOptions } from './central.js'
import { diverged } from './descent.js'
import { Mail } from './mail.js'
import { serverKinds } from './shard.js'
import { type Stretch, viewOf } from './stretches.js'

/** What a worker knows of the servers. */
export interface Client {
  readonly mail: Mail
  readonly servers: readonly PeerName[]
  /** Which stretches each of them holds, in the order in which they are sent. */
  readonly placement: readonly (readonly Stretch[])[]
}

/** How a worker hands a gradient over in a round, and gets new parameters into `x`. */
export type Turn = (client: Client, round: number, gradient: Float32Array, x: Float32Array) => Promise<void>

/** SGD on a worker whose parameters live on servers: the gradient at what they last gave, and `turn` for what they make of it. */
export async function* trainWithServers(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: ServerOptions,
  placement: readonly (readonly Stretch[])[],
  turn: Turn
): AsyncGenerator<StepReport, Float32Array> {
  const x = Float32Array.from(await fabric.work(task.initialise(options.seed)))
  // A server names who is missing when its patience has ended; a worker that did not wait longer would blame the server.
  const client = { mail: new Mail(fabric, 2 * options.patience, x.length), servers: options.servers, placement }
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  for (let k = 0; k < options.rounds; k++) {
    fabric.signal.throwIfAborted()
    const { loss, vector } = await fabric.work(task.gradient(x, batches.next(), k))
    if (!Number.isFinite(loss)) throw diverged(k, options.rate(k), loss)
    const start = fabric.now()
    await turn(client, k, vector, x)
    yield reportOf(options, k, { loss, waited: fabric.now() - start, parameters: x })
  }
  return x
}

/** Pushes all pieces at once to all servers, and takes in the new parameters of each as they come. */
export const streamedTurn: Turn = async ({ mail, servers, placement }, round, gradient, x) => {
  const { push, parameters } = serverKinds
  for (const [place, pieces] of placement.entries()) {
    for (const piece of pieces) {
      mail.send(servers[place], { kind: push, round, offset: piece.offset, vector: viewOf(gradient, piece) })
    }
  }
  for (const [place, pieces] of placement.entries()) {
    for (const stretch of pieces) await mail.receiveInto(x, servers[place], { kind: parameters, round, stretch })
  }
}
