/** Results of a sweep that never ran, computed from formulas: large enough to look like a real one. */
import type { CurvePoint, Results, RunRecord, Timeline } from '@murmuration/results'

const peers = Array.from({ length: 7 }, (_, k) => `p${k}`)
const modelBytes = 1_081_640
const tensors = 65
const computing = 0.05
const batch = 32
const target = 0.5
const limitSeconds = 40_000

interface Link {
  /** Bits per second, and seconds one way. */
  readonly bandwidth: number
  readonly latency: number
}

interface MadeUpMethod {
  readonly label: string
  readonly description: string
  /** Seconds that the messages of a round take. */
  readonly sending: (link: Link) => number
  readonly overlaps: boolean
  readonly bytesPerRound: number
  readonly roundsToTarget: number
  readonly busiest: { readonly name: string; readonly fraction: number }
}

const transfer = (bytes: number, { bandwidth }: Link) => (8 * bytes) / (0.97 * bandwidth)

const server = (messages: number) => (link: Link) => 2 * messages * link.latency + transfer(7 * modelBytes, link)
const ring = (messages: number) => (link: Link) => 12 * messages * link.latency + transfer((12 / 7) * modelBytes, link)

const methods: readonly MadeUpMethod[] = [
  {
    label: 'parameter server, tensor by tensor',
    description: 'One server, synchronous; every tensor is a message of its own (Li et al. 2014).',
    sending: server(tensors),
    overlaps: false,
    bytesPerRound: 14 * modelBytes,
    roundsToTarget: 300,
    busiest: { name: 'server', fraction: 1 }
  },
  {
    label: 'parameter server, fused',
    description: 'One server, synchronous; all tensors in one message (Li et al. 2014).',
    sending: server(1),
    overlaps: false,
    bytesPerRound: 14 * modelBytes,
    roundsToTarget: 300,
    busiest: { name: 'server', fraction: 1 }
  },
  {
    label: 'all-reduce, tensor by tensor',
    description: 'A ring, pipelined in chunks, for each tensor (Patarasuk and Yuan 2009).',
    sending: ring(tensors),
    overlaps: false,
    bytesPerRound: 12 * modelBytes,
    roundsToTarget: 300,
    busiest: { name: 'p0', fraction: 2 / 7 }
  },
  {
    label: 'all-reduce, fused',
    description: 'A ring, pipelined in chunks, for all tensors at once (Patarasuk and Yuan 2009).',
    sending: ring(1),
    overlaps: false,
    bytesPerRound: 12 * modelBytes,
    roundsToTarget: 300,
    busiest: { name: 'p0', fraction: 2 / 7 }
  },
  {
    label: 'D-PSGD on a ring',
    description: 'Each peer averages with its two neighbours while it computes (Lian et al. 2017).',
    sending: (link) => link.latency + transfer(2 * modelBytes, link),
    overlaps: true,
    bytesPerRound: 14 * modelBytes,
    roundsToTarget: 318,
    busiest: { name: 'p3', fraction: 2 / 7 }
  }
]

export interface MadeUpSettings {
  readonly bandwidths: readonly number[]
  /** Milliseconds. */
  readonly latencies: readonly number[]
  /** A third axis, which slows computing down. */
  readonly stragglers?: readonly string[]
  readonly target?: boolean
  readonly seeds?: readonly number[]
}

const full: MadeUpSettings = { bandwidths: [1e6, 1e7, 1e8, 1e9, 1e10], latencies: [0.1, 1, 5, 20, 50] }

/** Five methods on 25 settings with 3 seeds each, unless something else is chosen. */
export function madeUpResults(chosen: MadeUpSettings = full): Results {
  const seeds = chosen.seeds ?? [1, 2, 3]
  const links = chosen.latencies.flatMap((latency) => chosen.bandwidths.map((bandwidth) => ({ bandwidth, latency })))
  const settings = links.flatMap((link): RunRecord['settings'][] =>
    chosen.stragglers === undefined ? [link] : chosen.stragglers.map((stragglers) => ({ ...link, stragglers }))
  )
  return {
    sweep: {
      title: 'Slow links: gossip against servers (made-up figures for tests)',
      description:
        'Seven workers train a model of 270,410 parameters over links that are slow in one way or another. Which method is first at the target loss, and by how much?\n\nThese figures come from formulas, not from a simulation: they are here to test the report.',
      scenario: 'name: made up\nlinks:\n  bandwidth: [1 Mbit/s, 10 Mbit/s]\n  latency: [0.1 ms, 1 ms]\n',
      command: 'npm run sim -- sim/made-up.yaml',
      version: '0.1.0',
      axes: {
        bandwidth: chosen.bandwidths,
        latency: chosen.latencies,
        ...(chosen.stragglers && { stragglers: chosen.stragglers })
      },
      methods: methods.map(({ label, description }) => ({ label, description })),
      seeds,
      ...((chosen.target ?? true) && { targetLoss: target }),
      facts: {
        task: 'softmax regression on drawn digits',
        peers: '7',
        parameters: '270,410 (1.08 MB)',
        batch: '32 per peer'
      }
    },
    runs: settings.flatMap((of) => methods.flatMap((method) => seeds.map((seed) => runOf(method, of, seed)))),
    timelines: [gossipTimeline(), serverTimeline()]
  }
}

/** −1 … 1, the same for the same seed. */
const noise = (seed: number, k: number) => Math.sin(12.9898 * seed + 78.233 * k)

function runOf(method: MadeUpMethod, settings: RunRecord['settings'], seed: number): RunRecord {
  const link = { bandwidth: Number(settings.bandwidth), latency: Number(settings.latency) / 1000 }
  const busy = computing * (settings.stragglers === 'one slow peer' ? 4 : 1) * (1 + 0.03 * noise(seed, 1))
  const sending = method.sending(link)
  const secondsPerRound = method.overlaps ? Math.max(busy, sending) : busy + sending
  const needed = Math.round(method.roundsToTarget * (1 + 0.05 * noise(seed, 2)))
  const rounds = Math.min(needed, Math.floor(limitSeconds / secondsPerRound))
  const failed = method.label.startsWith('parameter server, t') && link.bandwidth === 1e6 && seed === 2
  const arrived = rounds === needed && !failed
  const bytesSent = Math.round(rounds * method.bytesPerRound * 1.031)
  const working = busy / secondsPerRound
  const waiting = method.overlaps
    ? Math.max(0, secondsPerRound - busy - sending * 0.6) / secondsPerRound
    : 0.4 * (1 - working)
  return {
    world: 'simulator',
    settings,
    method: method.label,
    seed,
    outcome: failed ? 'failed' : arrived ? 'target' : 'limit',
    ...(failed && { reason: 'peer p4 waited 60 s for the server, which is behind' }),
    peers: peers.length,
    seconds: rounds * secondsPerRound,
    rounds,
    secondsPerRound,
    samples: rounds * peers.length * batch,
    ...(arrived && {
      toTarget: { seconds: rounds * secondsPerRound, samples: rounds * peers.length * batch, bytes: bytesSent }
    }),
    bytesSent,
    payloadSent: rounds * method.bytesPerRound,
    messages: rounds * 14,
    busiest: { name: method.busiest.name, bytes: Math.round(bytesSent * method.busiest.fraction) },
    time: { working, waiting, sending: 1 - working - waiting },
    curve: curveOf(method, seed, rounds, needed, secondsPerRound),
    findings: [],
    logHash: `${method.label.length}${seed}${Math.round(secondsPerRound * 1e9).toString(16)}`.padEnd(64, '0'),
    realSeconds: 0.1
  }
}

function curveOf(method: MadeUpMethod, seed: number, rounds: number, needed: number, perRound: number): CurvePoint[] {
  const rate = Math.log((2.303 - 0.2) / (target - 0.2)) / needed
  return Array.from({ length: 41 }, (_, k): CurvePoint => {
    const round = Math.round((rounds * k) / 40)
    const loss = 0.2 + 2.103 * Math.exp(-rate * round) * (1 + (k % 40 === 0 ? 0 : 0.03 * noise(seed, k)))
    return {
      seconds: round * perRound,
      samples: round * peers.length * batch,
      bytes: Math.round(round * method.bytesPerRound * 1.031),
      round,
      loss,
      worstLoss: method.overlaps ? loss * 1.04 : loss,
      accuracy: 0.1 + 0.85 * (1 - loss / 2.303),
      consensusDistance: method.overlaps ? 0.4 * (1 - Math.exp(-round / 5)) * Math.exp(-round / 200) : 0
    }
  })
}

/** Six rounds on a ring; the second message from p3 to p4 is dropped. */
function gossipTimeline(): Timeline {
  const rounds = [0, 1, 2, 3, 4, 5]
  const begin = (round: number) => round * 0.12
  return {
    settings: { bandwidth: 1e8, latency: 20, stragglers: 'none' },
    method: 'D-PSGD on a ring',
    seed: 1,
    from: 0,
    to: 0.72,
    peers,
    marks: [{ peer: peers[5], at: 0.5, text: 'a failure of its own', isFailure: true }],
    spans: rounds.flatMap((round) =>
      peers.flatMap((peer, k) => {
        const end = begin(round) + 0.05 + 0.01 * noise(k, round)
        return [
          { peer, kind: 'gradient', start: begin(round), end },
          { peer, kind: k === 5 && round === 4 ? 'crashed' : 'waiting', start: end, end: begin(round + 1) }
        ]
      })
    ),
    messages: rounds.flatMap((round) =>
      peers.flatMap((from, k) =>
        [1, 6].map((step) => ({
          from,
          to: peers[(k + step) % 7],
          sent: begin(round),
          arrived: begin(round) + 0.1 + 0.01 * noise(k + step, round),
          bytes: modelBytes,
          fate: round === 1 && k === 3 && step === 1 ? ('dropped' as const) : ('delivered' as const)
        }))
      )
    )
  }
}

/** Two rounds with a server. */
function serverTimeline(): Timeline {
  return {
    settings: { bandwidth: 1e8, latency: 20, stragglers: 'none' },
    method: 'parameter server, fused',
    seed: 1,
    from: 0,
    to: 1.4,
    peers: [...peers, 'server'],
    spans: [0, 0.7].flatMap((start) =>
      peers.flatMap((peer) => [
        { peer, kind: 'gradient', start, end: start + 0.05 },
        { peer, kind: 'waiting', start: start + 0.05, end: start + 0.7 }
      ])
    ),
    messages: [0, 0.7].flatMap((start) =>
      peers.flatMap((peer, k) => [
        {
          from: peer,
          to: 'server',
          sent: start + 0.05,
          arrived: start + 0.37,
          bytes: modelBytes,
          fate: 'delivered' as const
        },
        {
          from: 'server',
          to: peer,
          sent: start + 0.37,
          arrived: start + 0.64 + 0.005 * k,
          bytes: modelBytes,
          fate: 'delivered' as const
        }
      ])
    )
  }
}
