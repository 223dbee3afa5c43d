/** Draws a swarm and its faults from a seed; heals it; reports what is wrong at the end. */
import type { Milliseconds, PeerName, Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { PeerRecord } from './records.js'
import { Swarm, type SwarmOptions } from './swarm.test.support.js'
import { lying } from './liars.test.support.js'
import type { Trainer } from './trainer.test.support.js'

/** When the last fault ends, and when the swarm is checked. */
const healAt = 24_000
const duration = 42_000

/** Rounds in all where none lies. */
const fewestRounds = 60

/**
 * Rounds after the faults, of 60 that would fit at 300 ms each. A liar sends no vectors: a peer that newly has it as a
 * neighbour waits 6 s for it, and several may do so one after the other.
 */
const fewestAfter = 10

/** The drawn faults, in words. */
export interface Trial {
  readonly swarm: Swarm
  readonly story: readonly string[]
  /** Peers that were dead for another though no fault had affected them. */
  readonly falseDeaths: readonly string[]
}

/** @param change options that replace drawn ones */
export function trialOf(seed: number, change: Partial<SwarmOptions> = {}): Trial {
  const random = createRandom(seed, 'trial')
  const pick = <Item>(items: readonly Item[]) => items[random.integer(items.length)]
  const count = change.count ?? pick([4, 4, 5, 5, 6, 6, 7, 8, 8, 12, 16])
  const hasLiar = random.uniform() < 0.25 && count >= 6
  const latest = random.uniform() < 0.3 ? 8000 : 300
  const starts = Array.from({ length: count }, () => random.uniform() * latest)
  const swarm: Swarm = new Swarm({
    seed,
    count,
    settings: { startWithin: 3000, forgetAfter: 20_000 },
    startAt: (index) => starts[index],
    loss: pick([0, 0, 0.01, 0.05]),
    work: pick([100, 100, 300]),
    ...(hasLiar ? { liar: 'p03' as PeerName, tamper: lying.wildly } : {}),
    ...change
  })
  const troubles = new Troubles(swarm)
  const story = [`${count} peers${hasLiar ? ', p03 lies' : ''}`]
  const maxDown = Math.ceil(count / 2) - 1 - (hasLiar ? 1 : 0)
  for (let fault = 0, down = 0; fault < 1 + random.integer(5); fault++) {
    const name = pick(swarm.names.filter((other) => other !== swarm.options.liar))
    const kind = pick(kinds)
    if (['crash', 'kill', 'leave'].includes(kind) && ++down > maxDown) continue
    const at = 9_000 + random.uniform() * (healAt - 10_000)
    const until = Math.min(healAt, at + 500 + random.uniform() * random.uniform() * 13_000)
    story.push(`${kind} ${name} ${at.toFixed(0)}-${until.toFixed(0)}`)
    troubles.add(kind === 'split' || kind === 'link' || kind === 'links' ? swarm.names : [name], at, until)
    plan(swarm, kind, name, at, until, random)
  }
  return { swarm, story, falseDeaths: troubles.falseDeaths }
}

/** How long after a fault of a peer its death still counts as justified. */
const justifiedFor = 8000

/** Checks each half second for peers that are dead although no fault affected them. */
class Troubles {
  readonly falseDeaths: string[] = []
  readonly #troubled: { readonly name: PeerName; readonly from: Milliseconds; readonly until: Milliseconds }[] = []

  constructor(readonly swarm: Swarm) {
    this.#check()
  }

  add(names: readonly PeerName[], from: Milliseconds, until: Milliseconds): void {
    for (const name of names) this.#troubled.push({ name, from, until: until + justifiedFor })
  }

  #check() {
    const { timeline, honest, now } = this.swarm
    for (const { name } of honest) {
      if (this.#troubled.some((other) => other.name === name && other.from <= now && now <= other.until)) continue
      const found = honest.find(({ member }) => member.isDead(name))
      if (found !== undefined) this.falseDeaths.push(`${name} was dead for ${found.name} at ${now}`)
    }
    timeline.at(now + 500, () => this.#check())
  }
}

const kinds = ['crash', 'kill', 'restart', 'restart', 'freeze', 'freeze', 'split', 'link', 'links', 'leave'] as const

function plan(
  swarm: Swarm,
  kind: (typeof kinds)[number],
  name: PeerName,
  at: Milliseconds,
  until: Milliseconds,
  random: Random
) {
  const { timeline, names } = swarm
  const isSilent = random.uniform() < 0.5
  if (kind === 'leave') timeline.at(at, () => swarm.leave(name))
  else if (kind === 'freeze') timeline.at(at, () => swarm.freeze(name, until - at))
  else if (kind === 'crash' || kind === 'kill') timeline.at(at, () => swarm.kill(name, kind === 'crash'))
  else if (kind === 'restart') {
    timeline.at(at, () => swarm.kill(name, isSilent))
    timeline.at(until, () => {
      if (swarm.trainers.has(name)) swarm.start(name)
    })
  } else
    cutFor(
      swarm,
      kind === 'split' ? splitOf(names, random) : linksOf(names, kind === 'link' ? 1 : 3, random),
      at,
      until
    )
}

function splitOf(names: readonly PeerName[], random: Random): (readonly [PeerName, PeerName])[] {
  const half = new Set(names.filter(() => random.uniform() < 0.5))
  return names.flatMap((a) => names.filter((b) => half.has(a) && !half.has(b)).map((b) => [a, b] as const))
}

function linksOf(names: readonly PeerName[], count: number, random: Random): (readonly [PeerName, PeerName])[] {
  return Array.from({ length: count }, () => {
    const [a, b] = random.shuffle(names)
    return [a, b] as const
  })
}

export function cutFor(
  swarm: Swarm,
  pairs: readonly (readonly [PeerName, PeerName])[],
  at: Milliseconds,
  until: Milliseconds
): void {
  swarm.timeline.at(at, () => pairs.forEach(([a, b]) => swarm.network.cut(a, b, 1)))
  swarm.timeline.at(until, () => pairs.forEach(([a, b]) => swarm.network.cut(a, b, -1)))
}

/** Runs a trial to its end. Returns what is wrong, one sentence each. */
export function problemsIn({ swarm, falseDeaths }: Trial): string[] {
  const lastRound = () => Math.max(...swarm.honest.map(({ round }) => round))
  swarm.runUntil(healAt)
  const roundBefore = lastRound()
  swarm.runUntil(duration)
  const { honest } = swarm
  const roundsAfter = lastRound() - roundBefore
  return [
    ...(swarm.options.liar === undefined && lastRound() < fewestRounds ? [`only ${lastRound()} rounds`] : []),
    ...(roundsAfter < fewestAfter ? [`only ${roundsAfter} rounds after the faults`] : []),
    ...falseDeaths.slice(0, 1),
    ...honest.flatMap((trainer) => problemsWith(trainer, swarm)),
    ...problemsBetween(honest, swarm),
    ...swarm.faults.filter((fault) => !fault.startsWith(swarm.options.liar ?? '-')).slice(0, 1)
  ]
}

function problemsWith({ name, member, hasBegun }: Trainer, { honest }: Swarm): string[] {
  const dead = honest.filter((other) => member.isDead(other.name)).map((other) => other.name)
  const absent = honest.filter((other) => !member.present.includes(other.name)).map((other) => other.name)
  return [
    ...(hasBegun ? [] : [`${name} has not begun`]),
    ...(member.isMain ? [] : [`${name} is ${member.state}: ${member.present.join()} of ${member.members.join()}`]),
    ...(dead.length === 0 ? [] : [`${name} takes ${dead.join()} for dead`]),
    ...(absent.length === 0 ? [] : [`${name} does not see ${absent.join()}`])
  ]
}

function problemsBetween(honest: readonly Trainer[], { names }: Swarm): string[] {
  const rounds = honest.map(({ round }) => round)
  const areApart = Math.max(...rounds) - Math.min(...rounds) > 8
  const knowledge = new Set(honest.map(({ member }) => names.map((name) => knownOf(member.recordOf(name))).join('\n')))
  const votes = new Set(
    honest.map(({ member }) =>
      member.votes
        .map((vote) => JSON.stringify(vote))
        .sort()
        .join('\n')
    )
  )
  return [
    ...(areApart ? [`rounds are apart: ${rounds.join()}`] : []),
    ...(knowledge.size > 1 ? [`${knowledge.size} different sets of records`] : []),
    ...(votes.size > 1 ? [`${votes.size} different sets of votes`] : [])
  ]
}

/** What all peers must equally know of a peer. Open exchanges change too fast to compare. */
function knownOf(record: PeerRecord | undefined): string {
  if (record === undefined) return ''
  const { life, refutation, status, from, isIn } = record
  return JSON.stringify([life, refutation, status, from, isIn])
}
