/**
 * The table "Who may go on" of docs/understand/membership.md: all divisions of two to seven peers into two groups, of
 * which some have finished, left or died before or meanwhile, healed at drawn moments. Never do two groups train.
 */
import { type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test, { type ExecutionContext } from 'ava'
import type { Member } from './member.js'
import { Room } from './room.test.support.js'

const letters = 'abcdefg'
/** Longer than it takes to find that a peer is not there, or is back. */
const settle = 10_000

type Fate = 'stays' | 'finishes' | 'ends' | 'leaves' | 'dies'
const fates: readonly Fate[] = ['finishes', 'ends', 'leaves', 'dies']

/** Whether a peer trains: it has begun and not finished, and neither waits nor takes the result of others. */
function trains(member: Member, name: PeerName): boolean {
  const isHere = member.recordOf(name)?.status === 'here' && member.state !== 'starting'
  return isHere && !member.isPaused && !member.hasResult && !member.isTooLate
}

class Division {
  readonly room: Room
  readonly #random
  readonly #settled = new Set<PeerName>()
  readonly #finished = new Set<PeerName>()
  readonly #hasLeft = new Set<PeerName>()

  constructor(
    readonly names: string,
    readonly side: string,
    seed: number
  ) {
    this.#random = createRandom(seed, `${names} ${side}`)
    this.room = new Room(names, { settings: { forgetAfter: 1e9 } }).begin()
  }

  /** Draws what happens to each peer that is still there; most stay. */
  meet(): this {
    for (const name of this.room.members.keys())
      if (!this.#settled.has(name) && this.#random.uniform() < 0.35) this.#suffer(name, fates[this.#random.integer(4)])
    return this
  }

  /** Both sides lose each other for a drawn time. */
  divide(): this {
    this.#cut(true)
    this.room.run(settle)
    this.#check('divided')
    this.meet()
    this.room.run(settle + 250 * this.#random.integer(20))
    this.#check('divided, with more losses')
    this.#cut(false)
    this.room.run(settle)
    this.#check('healed')
    return this
  }

  /** Who trains, by group of those that reach each other. */
  get training(): readonly string[] {
    const training = [...this.room.members].filter(([name, member]) => trains(member, name)).map(([name]) => name)
    const groups = [
      training.filter((name) => this.side.includes(name)),
      training.filter((name) => !this.side.includes(name))
    ]
    return groups.map((group) => group.join('')).filter((group) => group !== '')
  }

  readonly #found: string[] = []
  #isCut = false

  get found(): readonly string[] {
    return this.#found
  }

  #check(when: string): void {
    const { training } = this
    const note = (text: string) => this.#found.push(`${when}: ${text}`)
    if (this.#isCut && training.length > 1) note(`both ${training.join(' and ')} train`)
    for (const group of training)
      if (group.length === 1 && this.room.member(group).present.length < 2) note(`${group} trains alone`)
    if (2 * this.#finished.size > this.names.length - this.#hasLeft.size && training.length > 0)
      note(`${training.join(' and ')} train, though ${[...this.#finished].join('')} have finished`)
  }

  #cut(isCut: boolean): void {
    this.#isCut = isCut
    for (const one of this.side)
      for (const other of this.names) if (!this.side.includes(other)) this.room.cut(one, other, isCut)
  }

  #suffer(name: PeerName, drawn: Fate): void {
    const { room } = this
    const member = room.member(name)
    // Who waits does not finish.
    const fate = member.isPaused && (drawn === 'finishes' || drawn === 'ends') ? 'dies' : drawn
    this.#settled.add(name)
    if (fate === 'leaves') this.#hasLeft.add(name)
    if (fate === 'finishes' || fate === 'ends') this.#finished.add(name)
    if (fate === 'leaves') member.leave(4, room.now)
    if (fate === 'finishes' || fate === 'ends') member.finish(4, room.now)
    room.deliver()
    if (fate === 'ends') member.end(4, room.now)
    room.deliver()
    if (fate !== 'finishes') room.end(name)
  }
}

function* sidesOf(names: string): Iterable<string> {
  for (let bits = 1; bits < 2 ** (names.length - 1); bits++)
    yield [...names].filter((_, place) => ((bits << 1) >> place) & 1).join('')
}

function explore(t: ExecutionContext, count: number, draws: number) {
  const names = letters.slice(0, count)
  for (const side of sidesOf(names))
    for (let seed = 1; seed <= draws; seed++) {
      const division = new Division(names, side, seed)
      if (seed > 1) division.meet()
      division.divide()
      t.deepEqual(division.found, [], `${names}, ${side} cut off, seed ${seed}`)
    }
}

for (const count of [2, 3, 4, 5, 6, 7])
  test(`of ${count} peers never two groups train, whoever has finished, left or died, divided and healed`, (t) => {
    explore(t, count, count < 6 ? 4 : 2)
  })

test('without a fault of a third, the larger side trains and the smaller waits; of two halves both wait', (t) => {
  for (const count of [2, 3, 4, 5, 6, 7]) {
    const names = letters.slice(0, count)
    for (const side of sidesOf(names)) {
      const { room } = new Division(names, side, 1)
      const other = [...names].filter((name) => !side.includes(name)).join('')
      for (const a of side) for (const b of other) room.cut(a, b)
      room.run(settle)
      for (const name of names) {
        const own = side.includes(name) ? side : other
        const mayGoOn = 2 * own.length > count && own.length > 1
        t.is(room.member(name).isPaused, !mayGoOn, `${names}, ${side} cut off: ${name}`)
      }
    }
  }
})

test('peers that were cut off from those that have finished do not become a majority when these are gone', (t) => {
  const room = new Room('abcdef').begin()
  for (const a of 'abcd') for (const b of 'ef') room.cut(a, b)
  room.run(settle)
  for (const name of 'abcd') room.member(name).finish(4, room.now)
  room.run(1000)
  for (const a of 'abcd') for (const b of 'ef') room.cut(a, b, false)
  room.run(2000)
  // They take the result of those that still serve.
  t.true([...'abcd'].includes(room.member('e').finisher ?? ''))
  for (const name of 'abcd') {
    room.member(name).end(4, room.now)
    room.deliver()
    room.end(name)
  }
  room.run(2000)
  for (const name of 'ef') {
    t.true(room.member(name).isPaused)
    t.true(room.member(name).isTooLate)
    t.is(room.member(name).finisher, undefined)
    t.deepEqual(room.member(name).missing, [])
    t.deepEqual(room.member(name).finished.join(''), 'abcd')
  }
})
