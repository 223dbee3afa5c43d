/** Small sweeps for tests, whose medians and factors are easy to see. */
import type { Form, Results, RunRecord, Setting } from '@murmuration/results'

/** Seconds to the target for each seed; undefined if it was not reached. */
export type Times = readonly (number | undefined)[]

export interface SmallSweep {
  readonly axes?: Results['sweep']['axes']
  readonly methods: readonly string[]
  /** The forms of the methods that have one. */
  readonly forms?: Readonly<Record<string, Form>>
  /** The times of each method in a setting. */
  readonly times: (method: string, settings: Readonly<Record<string, Setting>>) => Times
  readonly target?: number
}

/** A run that reaches its target after `seconds`, or ends at 1000 s without. It takes a step per second. */
export function smallRun(seconds: number | undefined, fields: Partial<RunRecord> = {}): RunRecord {
  const end = seconds ?? 1000
  return {
    world: 'simulator',
    settings: {},
    method: 'a',
    seed: 1,
    outcome: seconds === undefined ? 'limit' : 'target',
    peers: 2,
    seconds: end,
    rounds: end,
    secondsPerRound: 1,
    samples: 20 * end,
    ...(seconds !== undefined && { toTarget: { seconds, samples: 20 * seconds, bytes: 100 * seconds } }),
    bytesSent: 100 * end,
    payloadSent: 80 * end,
    messages: 2 * end,
    busiest: { name: 'p0', bytes: 60 * end },
    time: { working: 0.5, sending: 0.25, waiting: 0.25 },
    curve: [
      { seconds: 0, samples: 0, bytes: 0, round: 0, loss: 2, consensusDistance: 0 },
      { seconds: end, samples: 20 * end, bytes: 100 * end, round: end, loss: 0.5, consensusDistance: 0.1 }
    ],
    findings: [],
    logHash: `hash of ${end}`,
    realSeconds: 0.5,
    ...fields
  }
}

/** A real run of two peers, which ends after 12 s. */
export function realRun(fields: Partial<RunRecord> = {}): RunRecord {
  const { payloadSent: _, messages: __, logHash: ___, realSeconds: ____, ...rest } = smallRun(undefined)
  return { ...rest, world: 'libp2p', seconds: 12, time: { working: 0.5 }, models: { p0: 'abc', p1: 'abc' }, ...fields }
}

export function smallResults({ axes = {}, methods, forms = {}, times, target = 0.5 }: SmallSweep): Results {
  const runs = settingsOf(axes).flatMap((settings) =>
    methods.flatMap((method) =>
      times(method, settings).map((seconds, k) => smallRun(seconds, { settings, method, seed: k + 1 }))
    )
  )
  return {
    sweep: {
      title: 'A small sweep',
      description: 'Which is first?',
      scenario: 'name: small',
      command: 'npm run sim -- small.yaml',
      version: '0.1.0',
      axes,
      methods: methods.map((label) => ({
        label,
        description: `about ${label}`,
        ...(forms[label] !== undefined && { form: forms[label] })
      })),
      seeds: [...new Set(runs.map(({ seed }) => seed))],
      targetLoss: target,
      facts: { task: 'a quadratic' }
    },
    runs,
    timelines: []
  }
}

/** All combinations, the last axis fastest. */
function settingsOf(axes: Results['sweep']['axes']): Readonly<Record<string, Setting>>[] {
  return Object.entries(axes).reduce<Readonly<Record<string, Setting>>[]>(
    (until, [axis, values]) => until.flatMap((settings) => values.map((value) => ({ ...settings, [axis]: value }))),
    [{}]
  )
}
