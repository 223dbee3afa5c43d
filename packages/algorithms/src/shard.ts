import { byName, type Fabric, invariant, NeighboursMissingError, type PeerName, type Task } from '@murmuration/core'
import { lengthOf, type VectorMessage } from '@murmuration/vectors'
import type { ServerOptions } from './central.js'
import { sendOrFail } from './mail.js'
import { piecesOf, type Stretch, shardsOf, viewOf } from './stretches.js'

/** The kinds of the messages between workers and parameter servers. */
export const serverKinds = {
  /** A worker's gradient, or its update, of a stretch in a round. */
  push: 1,
  /** That a push has arrived. Empty. */
  acknowledge: 2,
  /** That a worker wants a stretch's parameters after a round. Empty. */
  ask: 3,
  /** A stretch's new parameters. */
  parameters: 4
} as const

/** Which stretches each server holds, as they travel: every stretch of a shard cut into `pieces`. */
export function placementOf(
  task: Task,
  { servers, fusion }: ServerOptions,
  pieces: number
): readonly (readonly Stretch[])[] {
  invariant(servers.length >= 1, 'there is no server')
  const shards = shardsOf(task.schema, fusion, servers.length)
  return shards.map((shard) => shard.flatMap((stretch) => piecesOf(stretch, pieces)))
}

/** A message of a worker about a piece of a shard. */
export interface Delivery<Piece> {
  readonly from: PeerName
  /** The place of `from` among the workers, in the order of their names. */
  readonly worker: number
  readonly piece: Piece
  readonly message: VectorMessage
}

/** What a parameter server holds, and its messages with the workers. */
export class Shard<Piece extends Stretch> {
  readonly #fabric: Fabric<VectorMessage>
  readonly #options: ServerOptions
  readonly #places: ReadonlyMap<PeerName, number>
  readonly #byOffset: ReadonlyMap<number, Piece>
  /** In the order of their names. */
  readonly workers: readonly PeerName[]
  readonly pieces: readonly Piece[]

  private constructor(fabric: Fabric<VectorMessage>, options: ServerOptions, pieces: readonly Piece[]) {
    this.#fabric = fabric
    this.#options = options
    this.workers = [...options.workers].sort(byName)
    this.pieces = pieces
    this.#places = new Map(this.workers.map((name, place) => [name, place]))
    this.#byOffset = new Map(pieces.map((piece) => [piece.offset, piece]))
    invariant(this.#places.size === options.workers.length, () => `a name comes twice in ${this.workers.join(', ')}`)
  }

  /**
   * The shard of `fabric`'s server.
   *
   * @param placement - what {@link placementOf} says
   * @param createPiece - a piece of the shard, from its start parameters
   */
  static async open<Piece extends Stretch>(
    fabric: Fabric<VectorMessage>,
    task: Task,
    options: ServerOptions,
    placement: readonly (readonly Stretch[])[],
    createPiece: (stretch: Stretch, start: Float32Array) => Piece
  ): Promise<Shard<Piece>> {
    const place = options.servers.indexOf(fabric.self)
    invariant(place >= 0, () => `${fabric.self} is not one of the servers ${options.servers.join(', ')}`)
    const start = await fabric.work(task.initialise(options.seed))
    invariant(start.length === lengthOf(task.schema), 'the start parameters do not fit the schema')
    const pieces = placement[place].map((stretch) => createPiece(stretch, viewOf(start, stretch).slice()))
    return new Shard(fabric, options, pieces)
  }

  /**
   * The next message of a worker that is about one of the pieces. What cannot be used is rejected.
   *
   * @param missing - who holds the others up
   * @throws NeighboursMissingError that names them when nothing comes within the patience
   */
  async next(missing: () => readonly PeerName[]): Promise<Delivery<Piece>> {
    const deadline = this.#fabric.now() + this.#options.patience
    for (;;) {
      const envelope = await this.#fabric.receive(deadline)
      if (envelope === undefined) throw this.#silence(missing())
      const { from, message } = envelope
      const worker = this.#places.get(from)
      const piece = this.#byOffset.get(message.offset ?? 0)
      const problem = worker === undefined ? 'it is no worker' : problemOf(message, piece)
      if (problem === undefined) return { from, worker: worker as number, piece: piece as Piece, message }
      this.#fabric.reject(envelope, problem)
    }
  }

  /**
   * Throws a {@link NeighboursMissingError} when the message is not taken.
   *
   * @param isFree - whether `to` may leave when it likes
   */
  send(to: PeerName, message: VectorMessage, isFree = false): void {
    sendOrFail(this.#fabric, to, message, isFree)
  }

  /** Gives a message's memory back. */
  drop(message: VectorMessage): void {
    this.#fabric.recycle(message)
  }

  #silence(missing: readonly PeerName[]): NeighboursMissingError {
    return new NeighboursMissingError(
      missing,
      `the server ${this.#fabric.self} heard nothing for ${this.#options.patience} ms; it waits for ${missing.join(', ')}`
    )
  }
}

/** Why a server has no use for a worker's message about `piece`, whenever it comes; `undefined` when it may have. */
function problemOf({ kind, offset = 0, vector: { length } }: VectorMessage, piece?: Stretch): string | undefined {
  if (piece === undefined) return `no piece begins with number ${offset}`
  if (kind !== serverKinds.push && kind !== serverKinds.ask) return `a message of kind ${kind}, which no worker sends`
  const expected = kind === serverKinds.push ? piece.length : 0
  return length === expected ? undefined : `${length} numbers from number ${offset} on; ${expected} are expected`
}
