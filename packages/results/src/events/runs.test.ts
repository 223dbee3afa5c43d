import test from 'ava'
import type { EventLine } from './lines.js'
import type { EventLog } from './read.js'
import { runsOfLogs } from './runs.js'
import { timelinesOfLogs } from './timelines.js'

const hour = 3_600_000
const start = Date.UTC(2026, 0, 1, 12)

interface Clock {
  /** By how much the time of day is ahead, in milliseconds. */
  readonly ahead?: number
  /** How much faster it runs than the true one. */
  readonly drift?: number
}

interface Run {
  readonly peers?: readonly string[]
  /** When it begins, in milliseconds of true time. */
  readonly at?: number
  readonly rounds?: number
  readonly clocks?: Readonly<Record<string, Clock>>
  /** Other runs have other times. */
  readonly seed?: number
  /** The number of the round before which a peer is started again. */
  readonly restarts?: Readonly<Record<string, number>>
  readonly isNew?: boolean
}

/** The logs of a run in which all send to all in every round, which takes about 50 ms. */
function logsOf(run: Run): EventLog[] {
  const { peers = ['a', 'b', 'c'], at = 0, rounds = 12, clocks = {}, seed = 1, restarts = {}, isNew = false } = run
  let state = seed
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  const events = new Map<string, (readonly [time: number, line: object])[]>(peers.map((name) => [name, []]))
  let begin = at + 1000
  for (let round = 0; round < rounds; round++) {
    const sent = new Map(peers.map((name) => [name, begin + 40 * random()]))
    for (const name of peers) {
      const time = sent.get(name) ?? 0
      events.get(name)?.push([time, { kind: 'span', what: 'gradient', start: time - 1 }])
      for (const other of peers)
        if (other !== name) {
          events.get(name)?.push([time, { kind: 'sent', to: other, id: `1.${round}`, bytes: 8 }])
          const taken = Math.max(time + 1 + 3 * random(), (sent.get(other) ?? 0) + 1)
          events.get(other)?.push([taken, { kind: 'taken', from: name, id: `1.${round}` }])
        }
    }
    begin = Math.max(...sent.values()) + 10
  }
  const nameOf = (peer: string, part: number) => `${peer} ${seed} ${part}`
  return peers.flatMap((peer) => {
    const { ahead = 0, drift = 0 } = clocks[peer] ?? {}
    const all = [...(events.get(peer) ?? [])].sort(([left], [right]) => left - right)
    const cut = restarts[peer] === undefined ? all.length : Math.floor((restarts[peer] / rounds) * all.length)
    return [all.slice(0, cut), all.slice(cut)]
      .filter((part) => part.length > 0)
      .map((part, index): EventLog => {
        const began = part[0][0] - 10
        const t = (time: number) => (time - began) * (1 + drift)
        const day = (time: number) => new Date(start + began + ahead + t(time)).toISOString()
        const head = { kind: 'log', peer, run: 'x', pid: index, machine: `host of ${peer}`, part: 1 }
        const lines = [[began, head] as const, ...part].map(([time, line]) => ({
          t: t(time),
          at: day(time),
          ...line,
          ...('start' in line ? { start: t(Number(line.start)) } : {})
        })) as unknown as readonly EventLine[]
        const met = new Map(
          peers.flatMap((other) => (other === peer ? [] : [[other, new Set([0, 1].map((k) => nameOf(other, k)))] as const])) // oxfmt-ignore
        )
        return {
          peer,
          run: 'x',
          machine: `host of ${peer}`,
          lines,
          ...(isNew ? { incarnation: nameOf(peer, index), met } : {})
        }
      })
  })
}

const shape = (logs: readonly EventLog[]) => runsOfLogs(logs).map((run) => run.map(({ peer }) => peer).sort().join('')) // oxfmt-ignore

test('the logs of a run are one run, also if clocks are hours or years off', (t) => {
  for (const ahead of [5 * hour, -5 * hour, 24 * 365 * 20 * hour, -24 * 365 * 50 * hour])
    t.deepEqual(shape(logsOf({ clocks: { c: { ahead } } })), ['abc'], String(ahead))
  t.deepEqual(shape(logsOf({ clocks: { a: { ahead: hour }, b: { ahead: 7 * hour }, c: { ahead: -hour } } })), ['abc'])
})

test('a clock that runs faster is one of the same run', (t) => {
  const clocks = { b: { drift: 4e-4 }, c: { drift: -2e-4, ahead: 9 * hour } }
  t.deepEqual(shape(logsOf({ clocks, rounds: 600 })), ['abc'])
})

test('two runs with the same settings and peers are two, one after the other or at once, with right and wrong clocks', (t) => {
  const late = { c: { ahead: 60_000 } }
  const all: readonly Readonly<Record<string, Clock>>[] = [
    {},
    { c: { ahead: 5 * hour } },
    { a: { ahead: -9 * hour } },
    late
  ]
  for (const clocks of all)
    for (const at of [60_000, 300]) {
      const logs = [...logsOf({ clocks }), ...logsOf({ clocks, at, seed: 2 })]
      t.deepEqual(shape(logs), ['abc', 'abc'], JSON.stringify([clocks, at]))
      const together = runsOfLogs(logs).map((run) => new Set(run.map((log) => Number(logs.indexOf(log) > 2))).size)
      t.deepEqual(together, [1, 1], JSON.stringify([clocks, at]))
    }
})

test('a peer that restarted has two logs in its run', (t) => {
  t.deepEqual(shape(logsOf({ restarts: { c: 5 } })), ['abcc'])
  t.deepEqual(shape(logsOf({ restarts: { c: 5 }, clocks: { c: { ahead: 5 * hour } } })), ['abcc'])
  t.deepEqual(shape(logsOf({ restarts: { c: 5 }, isNew: true, clocks: { c: { ahead: 5 * hour } } })), ['abcc'])
})

test('who has met whom counts more than times and messages', (t) => {
  const first = logsOf({ isNew: true })
  const second = logsOf({ isNew: true, seed: 2 })
  // The same times in both: only the incarnations differ.
  const copied = second.map((log, index) => ({ ...log, lines: first[index].lines, machine: 'another' }))
  t.deepEqual(
    runsOfLogs([...first, ...copied]).map((run) => new Set(run.map(({ machine }) => machine === 'another')).size),
    [1, 1]
  )
  const silent = logsOf({ isNew: true, clocks: { c: { ahead: 5 * hour } } }).map((log) => ({
    ...log,
    lines: log.lines.filter(({ kind }) => kind === 'log')
  }))
  t.deepEqual(shape(silent), ['abc'], 'nobody sent a vector')
})

test('logs without vectors to each other are of one run if their times overlap', (t) => {
  const [a, b] = logsOf({ peers: ['a', 'b'] })
  const rename = (log: EventLog, names: Readonly<Record<string, string>>): EventLog => ({
    ...log,
    peer: names[log.peer],
    lines: log.lines.filter(({ kind }) => kind === 'log' || kind === 'span')
  })
  t.deepEqual(shape([a, rename(b, { b: 'd' })]), ['ad'])
  const [later] = logsOf({ peers: ['e', 'f'], at: hour })
  t.deepEqual(shape([a, rename(later, { e: 'd' })]), ['a', 'd'])
  t.deepEqual(shape([a, { ...b, run: 'y' }]), ['a', 'b'], 'other settings')
})

test('the clock of the minority is the one that is corrected', (t) => {
  for (const wrong of ['a', 'b', 'c']) {
    const [run] = runsOfLogs(logsOf({ clocks: { [wrong]: { ahead: -5 * hour } } }))
    const [{ clocks, to }] = timelinesOfLogs(run, { settings: {}, method: 'm', seed: 1 })
    t.regex(clocks ?? '', new RegExp(`both directions: ${wrong} by 5 h \\(± [\\d.]+ ms\\)$`))
    t.true(to < 2, String(to))
  }
})
