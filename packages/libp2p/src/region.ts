import { invariant, type Milliseconds } from '@murmuration/core'
import type { Bell } from './bell.js'

/** A whole version of a region. */
export interface Version {
  /** 1, 2, …: the writer's number for it. */
  readonly version: number
  /** As long as the region. Not to be changed. */
  readonly vector: Float32Array
}

/**
 * Memory that one neighbour writes into and reads: two buffers, taken once. A version is written into the one that nobody sees,
 * tensor by tensor, and when it is whole the two change places, so that a version is seen whole or not at all.
 */
export class Region {
  readonly length: number
  readonly #changed: Bell
  readonly #roomAgain: () => void
  #front: Float32Array
  #back: Float32Array
  #version = 0
  /** How many look at the front. */
  #leases = 0
  /** The version that waits in the back until nobody looks at the front any more. */
  #waiting: number | undefined
  /** The version that is being written, and up to where it is complete. */
  #writing: { readonly version: number; next: number; spoilt: boolean } | undefined

  /**
   * @param length - how many numbers it holds
   * @param changed - rung when a version becomes whole
   * @param roomAgain - called when the writer can go on that had to wait
   */
  constructor(length: number, changed: Bell, roomAgain: () => void = () => {}) {
    this.length = length
    this.#changed = changed
    this.#roomAgain = roomAgain
    this.#front = new Float32Array(length)
    this.#back = new Float32Array(length)
  }

  /** The newest whole version; 0 before the first. */
  get version(): number {
    return this.#version
  }

  /** Whether a whole version waits for its predecessor to be released, so that nothing more can be written. */
  get full(): boolean {
    return this.#waiting !== undefined
  }

  /**
   * Lends the newest whole version. It stays as it is until `release`; meanwhile one more version can be written, and after that
   * the writer waits.
   */
  lend(): Version {
    this.#leases++
    return { version: this.#version, vector: this.#front }
  }

  /** Ends a loan. */
  release(): void {
    invariant(this.#leases > 0, 'a region was released more often than it was lent')
    this.#leases--
    const waiting = this.#waiting
    if (this.#leases > 0 || waiting === undefined) return
    this.#waiting = undefined
    this.#turn(waiting)
    this.#roomAgain()
  }

  /** Writes a whole version from this side. Returns false while nothing more can be written, because somebody still looks. */
  publish(version: number, vector: Float32Array): boolean {
    if (this.full) return false
    invariant(vector.length === this.length, () => `${vector.length} numbers for a region of ${this.length}`)
    const place = this.place(version, 0, this.length)
    invariant(typeof place !== 'string', () => `a version cannot be written: ${String(place)}`)
    place.set(vector)
    this.wrote(0, this.length, true)
    return true
  }

  /** Waits until there is a version of at least `version`, or the clock shows `until`. Returns whether there is. */
  async reached(version: number, until: Milliseconds, now: () => Milliseconds): Promise<boolean> {
    while (this.#version < version && now() < until) await this.#changed.wait(until)
    return this.#version >= version
  }

  /**
   * Where the numbers from `offset` on are to be written for `version`. Tensors of a version are written in the order of
   * their offsets; what lies between them keeps the values of the version before. A sentence when it cannot be.
   */
  place(version: number, offset: number, length: number): Float32Array | string {
    if (this.full) return 'it writes while a version waits for the one before it'
    if (offset + length > this.length)
      return `numbers ${offset} to ${offset + length - 1} of a region of ${this.length}`
    if (version <= this.#version) return `version ${version} after version ${this.#version}`
    if (this.#writing?.version !== version) this.#writing = { version, next: 0, spoilt: false }
    if (offset < this.#writing.next) return `number ${offset} of version ${version} is written twice`
    this.#keepUpTo(offset, this.#writing)
    return this.#back.subarray(offset, offset + length)
  }

  /** Notes that numbers were written, and with `isLast` that the version is whole. */
  wrote(offset: number, length: number, isLast: boolean): void {
    const writing = this.#writing
    invariant(writing !== undefined, 'numbers were written to no version')
    writing.next = offset + length
    if (!isLast) return
    this.#keepUpTo(this.length, writing)
    this.#writing = undefined
    if (writing.spoilt) return
    if (this.#leases > 0) this.#waiting = writing.version
    else this.#turn(writing.version)
  }

  /** Notes that numbers came that cannot be used: the version they belong to will never be seen. */
  spoil(offset: number, length: number, isLast: boolean): void {
    invariant(this.#writing !== undefined, 'numbers of no version were spoilt')
    this.#writing.spoilt = true
    this.wrote(offset, length, isLast)
  }

  #keepUpTo(offset: number, writing: { next: number }): void {
    if (offset > writing.next) this.#back.set(this.#front.subarray(writing.next, offset), writing.next)
    writing.next = offset
  }

  #turn(version: number): void {
    invariant(version > this.#version, () => `version ${version} follows version ${this.#version}`)
    const front = this.#back
    this.#back = this.#front
    this.#front = front
    this.#version = version
    this.#changed.ring()
  }
}
