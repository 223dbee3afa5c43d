/**
 * What the sessions of all peers receive, begin with and leave: seen at the methods of two classes while a run is
 * simulated.
 */
import { type Saved, Session, type State, type Vector } from '@murmuration/algorithms'
import type { VectorMessage } from '@murmuration/wire'

type VectorArena = Vector['arena']

/** What a session leaves for the next one. */
interface Left {
  readonly model: Float32Array
  readonly carried: Saved | undefined
}

/** The first kind of an opening's messages: those of training have lower ones. */
const firstOpeningKind = 128

interface WatchedArena {
  isClosed: boolean
  /** Of which part of which epoch the messages are that it has taken. */
  part: string | undefined
}

/** The part of an epoch in which a message was sent, as text. */
function partOf({ epoch = 0, kind }: VectorMessage): string {
  return `${epoch} ${kind < firstOpeningKind ? 'training' : `from ${kind & ~63}`}`
}

/** E3: a session receives only messages of its own epoch, none once it is closed, and keeps nothing then. */
export class SessionsWatch {
  /** What was sent in which part of which epoch, by the vector that arrives. */
  readonly #sentIn = new WeakMap<Float32Array, string>()
  readonly #arenas = new Map<VectorArena, WatchedArena>()
  readonly #find: (what: string) => void
  readonly #left = new Map<VectorArena, Left>()
  readonly #carried = new WeakMap<Float32Array, Saved>()
  /** Called with what a session inherits. */
  inherits: (left: Saved | undefined) => void = () => {}

  constructor(find: (what: string) => void) {
    this.#find = find
  }

  /** A message arrives as this copy. */
  copied(copy: VectorMessage): VectorMessage {
    this.#sentIn.set(copy.vector, partOf(copy))
    return copy
  }

  /** Memory is used for something else. */
  reused(vector: Float32Array): Float32Array {
    this.#sentIn.delete(vector)
    return vector
  }

  /** A session for the training of an epoch begins with this arena. */
  begins(self: string, arena: VectorArena, epoch: number): void {
    watchClass(arena)
    this.#take(arena, `${epoch % (1 << 16)} training`, `a session of ${self}`)
  }

  /** A session whose state is this one leaves something. */
  leaves(state: State, { model, carried }: ReturnType<Session['leaves']>): void {
    const arena = arenaOf(state)
    if (arena === undefined || model === undefined) return
    this.#left.set(arena, { model, carried })
    if (carried !== undefined) this.#carried.set(model, carried)
  }

  leftBy(arena: VectorArena): Left | undefined {
    return this.#left.get(arena)
  }

  /** What a session has left together with this model. */
  carriedBeside(model: Float32Array): Saved | undefined {
    return this.#carried.get(model)
  }

  isClosed(arena: VectorArena): boolean {
    return this.#of(arena).isClosed
  }

  adopts(arena: VectorArena, numbers: Float32Array): void {
    const part = this.#sentIn.get(numbers)
    if (part !== undefined) this.#take(arena, part, 'a session')
  }

  closes(arena: VectorArena): void {
    this.#of(arena).isClosed = true
    if (arena.size > 0) this.#find(`E3: ${arena.size} vectors are left in a closed arena`)
  }

  /** At the end: nothing is left of the sessions that are over. */
  check(): void {
    for (const [arena, { isClosed }] of this.#arenas)
      if (isClosed && arena.size > 0) this.#find(`E3: ${arena.size} vectors are left of a session that is over`)
  }

  #take(arena: VectorArena, part: string, what: string): void {
    const known = this.#of(arena)
    if (known.isClosed) this.#find(`E3: ${what} has received a message of epoch ${part} after its end`)
    if (known.part !== undefined && known.part !== part)
      this.#find(`E3: ${what} of epoch ${known.part} has received a message of epoch ${part}`)
    known.part = part
  }

  #of(arena: VectorArena): WatchedArena {
    const known = this.#arenas.get(arena) ?? { isClosed: false, part: undefined }
    this.#arenas.set(arena, known)
    return known
  }
}

/** The watch of the run that is simulated now: one at a time. */
let watching: SessionsWatch | undefined

/** Runs `act`, of which `watch` sees all sessions. */
export async function watchingSessions(watch: SessionsWatch, act: () => Promise<void>): Promise<void> {
  watching = watch
  const { inherit, leaves } = Session.prototype
  Session.prototype.inherit = function (batches, left) {
    watch.inherits(left)
    inherit.call(this, batches, left)
  }
  Session.prototype.leaves = function () {
    const all = leaves.call(this)
    watch.leaves(this.state, all)
    return all
  }
  try {
    await act()
  } finally {
    Object.assign(Session.prototype, { inherit, leaves })
    watching = undefined
  }
}

let isWatched = false

/** The class of an arena is not exported: it is taken from the first one that is seen. */
function watchClass(arena: VectorArena): void {
  if (isWatched) return
  isWatched = true
  const prototype = Object.getPrototypeOf(arena) as VectorArena
  const { adopt, close } = prototype
  prototype.adopt = function (numbers, offset) {
    watching?.adopts(this, numbers)
    return adopt.call(this, numbers, offset)
  }
  prototype.close = function () {
    close.call(this)
    watching?.closes(this)
  }
}

/** The arena of the first vector in a state. */
function arenaOf(state: State): VectorArena | undefined {
  for (const value of Object.values(state)) {
    if (typeof value !== 'object') continue
    const arena = 'arena' in value ? (value as Vector).arena : arenaOf(value)
    if (arena !== undefined) return arena
  }
  return undefined
}
