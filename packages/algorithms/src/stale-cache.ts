import { type Envelope, type Fabric, NeighboursMissingError, type PeerName } from '@murmuration/core'
import { axpy, type VectorMessage } from '@murmuration/vectors'
import type { StaleSynchronousOptions } from './central.js'
import { sendOrFail } from './mail.js'
import { serverKinds } from './shard.js'
import { type Stretch, viewOf } from './stretches.js'

/** A piece of the cache. */
interface CachedPiece extends Stretch {
  readonly server: PeerName
  /** All updates of clocks below this one of all workers are in it. */
  clock: number
  /** How many of one's own updates are in it as the server has sent it. */
  own: number
}

/**
 * A worker's copy of the parameters: what the servers sent last, and on top of it one's own updates that this does not hold
 * yet, so that a worker always reads its own writes (Ho et al. 2013).
 */
export class StaleCache {
  readonly #fabric: Fabric<VectorMessage>
  readonly #options: StaleSynchronousOptions
  readonly #pieces: readonly CachedPiece[]
  readonly #byOffset: ReadonlyMap<number, CachedPiece>
  /** One's own updates that some piece does not hold yet: those of the clocks `#first`, `#first` + 1, … */
  readonly #updates: Float32Array[] = []
  #first = 0
  /** Not to be changed, and valid until the next read. */
  readonly parameters: Float32Array

  constructor(
    fabric: Fabric<VectorMessage>,
    start: Float32Array,
    placement: readonly (readonly Stretch[])[],
    options: StaleSynchronousOptions
  ) {
    this.#fabric = fabric
    this.#options = options
    this.#pieces = placement.flatMap((pieces, place) =>
      pieces.map((piece) => ({ ...piece, server: options.servers[place], clock: 0, own: 0 }))
    )
    this.#byOffset = new Map(this.#pieces.map((piece) => [piece.offset, piece]))
    this.parameters = Float32Array.from(start)
  }

  /** Adds one's own update of `clock`, and sends it to the servers. It must not change afterwards. */
  push(clock: number, update: Float32Array): void {
    axpy(this.parameters, 1, update)
    this.#updates.push(update)
    for (const piece of this.#pieces) {
      const vector = viewOf(update, piece)
      sendOrFail(this.#fabric, piece.server, { kind: serverKinds.push, round: clock, offset: piece.offset, vector })
    }
  }

  /**
   * Takes in what has come, and waits until the cache is fresh enough for `clock`.
   *
   * @throws NeighboursMissingError that names a server which does not answer within twice the patience; the server, whose
   *   patience ends before, names the worker that it waits for
   */
  async read(clock: number): Promise<void> {
    const { rounds, staleness, patience } = this.#options
    for (let come = await this.#arrived(); come !== undefined; come = await this.#arrived()) this.#take(come)
    const needed = clock === rounds ? clock : clock - staleness
    for (const piece of this.#pieces) {
      while (piece.clock < needed) {
        const envelope = await this.#fabric.receive(this.#fabric.now() + 2 * patience)
        if (envelope === undefined) throw this.#silence(piece.server, clock)
        this.#take(envelope)
      }
    }
    this.#forget()
  }

  #arrived(): PromiseLike<Envelope<VectorMessage> | undefined> {
    return this.#fabric.receive(this.#fabric.now())
  }

  #take(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const { kind, round, offset = 0, vector } = message
    const piece = this.#byOffset.get(offset)
    const expected = kind === serverKinds.parameters ? piece?.length : kind === serverKinds.acknowledge ? 0 : undefined
    if (piece?.server !== from || vector.length !== expected || round >= this.#options.rounds) {
      const what = `a message of kind ${kind}, round ${round}, with ${vector.length} numbers from number ${offset} on`
      return this.#fabric.reject(envelope, `${what} is nothing that a server sends`)
    }
    if (kind === serverKinds.acknowledge) piece.own = round + 1
    else this.#renew(piece, message)
    this.#fabric.recycle(message)
  }

  /** A piece as the server has it, and on top one's own updates that came too late for that. */
  #renew(piece: CachedPiece, { round, vector }: VectorMessage): void {
    piece.clock = round + 1
    piece.own = Math.max(piece.own, piece.clock)
    const values = viewOf(this.parameters, piece)
    values.set(vector)
    for (const update of this.#updates.slice(piece.own - this.#first)) axpy(values, 1, viewOf(update, piece))
  }

  /** Lets go of the updates that every piece holds. */
  #forget(): void {
    const held = this.#pieces.reduce((least, { own }) => Math.min(least, own), Number.POSITIVE_INFINITY)
    const count = Math.min(held - this.#first, this.#updates.length)
    this.#updates.splice(0, count)
    this.#first += count
  }

  #silence(server: PeerName, clock: number): NeighboursMissingError {
    const { patience } = this.#options
    return new NeighboursMissingError(
      [server],
      `${this.#fabric.self} waited ${2 * patience} ms for the server ${server} before step ${clock} in vain`
    )
  }
}
