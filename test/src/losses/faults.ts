/** The faults whose cost is measured: what is done to the processes of a run, and what is expected then. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Milliseconds } from '@murmuration/core'
import type { LossRun, WatchedProcess } from './loss-run.js'
import { type LossMethod, type RunShape, timeout } from './run-files.js'

/** When a fault was done, and over. */
export interface LossMoments {
  /** From when on the others stand still; absent where nothing stops them. */
  readonly at?: Milliseconds
  /** From when on those that come back can train; absent for when they have been started and can be reached. */
  readonly backAt?: Milliseconds
}

export interface MeasuredFault {
  readonly name: string
  /** As the table says it. */
  readonly title: string
  readonly shape?: Partial<RunShape>
  readonly needsServer?: true
  /** The workers that are not started at first. */
  readonly later?: readonly string[]
  /** Who is no member of the epoch that the others then begin. */
  readonly lost?: readonly string[]
  /** Who comes, or comes back. */
  readonly back?: readonly string[]
  /** The exit codes or signals that differ from 0. */
  readonly ends?: Readonly<Record<string, number | string>>
  /** Who would have the same data, had it been alone from the start; all where absent. */
  readonly alone?: readonly string[]
  /** The longest time from the fault to the first round after it, for the others. */
  readonly within?: Milliseconds
  /** The same for who comes back. */
  readonly backWithin?: Milliseconds
  /** Does the fault, once all have trained for a while. Returns when it is over, before the run ends. */
  readonly happen: (run: LossRun) => Promise<LossMoments>
}

const four = ['a', 'b', 'c', 'd']
const five = [...four, 'e']
/** So many rounds show that a peer trains. */
const shortly = 5
/** The rounds of a run whose fault takes a while. */
const long = 160
/** Of five, those that are lost or cut off, and the others. */
const few = ['a', 'b']
const most = ['c', 'd', 'e']

/** The time from a kill to the next epoch's first round. */
const afterKill: Milliseconds = 1500
/** The time from when a process has its links to its first round. */
const afterStart: Milliseconds = 1000
/** The time from when a process or a link works again to its first round. */
const afterWaking: Milliseconds = 2000
/** A machine is known to be silent after about five seconds. */
const afterSilence: Milliseconds = 6000

/** A signal to a peer. */
const sends =
  (name: string, signal: NodeJS.Signals) =>
  (run: LossRun): Promise<LossMoments> =>
    Promise.resolve({ at: run.signal(name, signal) })

/** Kills two peers, one after the other. */
const killsTwo = (first: string, second: string, pause: Milliseconds) => async (run: LossRun) => {
  const at = run.signal(first, 'SIGKILL')
  await delay(pause)
  return { at, last: run.signal(second, 'SIGKILL') }
}

/** Kills a peer, and starts it again. */
const restarts =
  (pause: Milliseconds) =>
  async (run: LossRun): Promise<LossMoments> => {
    const at = run.signal('b', 'SIGKILL')
    await run.ends(['b'])
    await delay(pause)
    run.start('b')
    await run.trains(['b'], at, shortly)
    return { at }
  }

/** Cuts two of five off, until the others train again. */
async function split(run: LossRun): Promise<Milliseconds> {
  const at = run.files.part(few)
  const begins = ({ said }: WatchedProcess) => said.some(({ at: when, line }) => when > at && line.kind === 'epoch')
  await run.until(begins, most)
  await run.trains(most, performance.now(), shortly)
  return at
}

const killed = 'SIGKILL'

export const faults: readonly MeasuredFault[] = [
  { name: 'none', title: 'none', happen: () => Promise.resolve({}) },
  {
    name: 'kill',
    title: '`kill -9` of one of four',
    lost: ['b'],
    ends: { b: killed },
    alone: ['a', 'c', 'd'],
    within: afterKill,
    happen: sends('b', killed)
  },
  {
    name: 'two',
    title: '`kill -9` of two of five, 4 s apart',
    shape: { workers: five },
    lost: few,
    ends: { a: killed, b: killed },
    alone: most,
    within: afterKill,
    async happen(run) {
      const { last } = await killsTwo('b', 'a', 4000)(run)
      return { at: last }
    }
  },
  {
    name: 'first',
    title: '`kill -9` of the first name, which proposes',
    lost: ['a'],
    ends: { a: killed },
    alone: ['b', 'c', 'd'],
    within: afterKill,
    happen: sends('a', killed)
  },
  {
    name: 'proposer',
    title: '`kill -9` of one of five, and 0.6 s later of who proposes',
    shape: { workers: five },
    lost: few,
    ends: { a: killed, b: killed },
    alone: most,
    within: 2500,
    happen: killsTwo('b', 'a', 600)
  },
  {
    name: 'server',
    title: '`kill -9` of the server',
    needsServer: true,
    lost: ['s'],
    ends: { s: killed },
    // The last name takes its role, and trains no more.
    alone: ['a', 'b', 'c'],
    within: afterKill,
    happen: sends('s', killed)
  },
  {
    name: 'leave',
    title: 'Ctrl-C of one of four',
    lost: ['b'],
    ends: { b: 130 },
    alone: ['a', 'c', 'd'],
    within: 1000,
    happen: sends('b', 'SIGINT')
  },
  {
    name: 'stall',
    title: 'one of four stopped for 3 timeouts',
    shape: { rounds: long },
    lost: ['b'],
    back: ['b'],
    within: afterSilence,
    backWithin: afterWaking,
    async happen(run) {
      const at = run.signal('b', 'SIGSTOP')
      await delay(3 * timeout)
      const backAt = run.signal('b', 'SIGCONT')
      await run.trains(['b'], backAt, shortly)
      return { at, backAt }
    }
  },
  {
    name: 'again',
    title: '`kill -9` of one of four, started again at once',
    shape: { rounds: long },
    back: ['b'],
    backWithin: afterStart,
    happen: restarts(0)
  },
  {
    name: 'later',
    title: '`kill -9` of one of four, started again after 3 s',
    shape: { rounds: long },
    lost: ['b'],
    back: ['b'],
    within: afterKill,
    backWithin: afterStart,
    happen: restarts(3000)
  },
  {
    name: 'late',
    title: 'one of four starts late',
    shape: { rounds: long, membership: '{ startWithin: 2 s }' },
    later: ['d'],
    back: ['d'],
    backWithin: afterStart,
    async happen(run) {
      run.start('d')
      await run.trains(['d'], performance.now(), shortly)
      return {}
    }
  },
  {
    name: 'friend',
    title: 'a fourth joins by invitation',
    shape: { workers: ['a', 'b', 'c'], friend: 'd', rounds: 600 },
    back: ['d'],
    backWithin: afterStart,
    async happen(run) {
      await run.join('d')
      await run.trains(['d'], performance.now(), shortly)
      return {}
    }
  },
  {
    name: 'split',
    title: 'two of five cut off, and then not',
    shape: { workers: five, hasRelays: true, rounds: long },
    lost: few,
    back: few,
    within: afterSilence,
    backWithin: afterWaking,
    async happen(run) {
      const at = await split(run)
      const backAt = run.files.heal(few)
      await run.trains(few, backAt, shortly)
      return { at, backAt }
    }
  },
  {
    name: 'split-end',
    title: 'two of five cut off until the others have finished',
    shape: { workers: five, hasRelays: true, rounds: long },
    lost: few,
    ends: { a: 3, b: 3 },
    alone: most,
    within: afterSilence,
    async happen(run) {
      const at = await split(run)
      await run.files.hurry()
      await run.ends(most)
      run.files.heal(few)
      return { at }
    }
  }
]

/** What a run of an algorithm with a fault needs. */
export function shapeOf({ shape }: MeasuredFault): RunShape {
  return { workers: four, rounds: 100, ...shape }
}

/** The algorithms, each with a graph that it accepts, and periods so short that it exchanges often. */
export const methods: readonly LossMethod[] = [
  { name: 'all-reduce', graph: 'ring' },
  { name: 'local-sgd', graph: 'ring' },
  { name: 'choco', graph: 'ring' },
  { name: 'd2', graph: 'complete' },
  { name: 'gradient-tracking', graph: 'ring' },
  { name: 'diloco', graph: 'ring', options: ', period: 10' },
  { name: 'parameter-server', graph: 'ring', hasServer: true },
  { name: 'async-parameter-server', graph: 'ring', hasServer: true }
]
