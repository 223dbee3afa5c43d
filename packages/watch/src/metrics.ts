/** Metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
import type { Board } from './board.js'
import type { PeerView, SwarmNow } from './messages.js'

type Kind = 'gauge' | 'counter'

/** A value, and its labels. Names of peers, states and conditions need no escaping: none has a quote, a backslash or a line feed. */
type Sample = readonly [value: number | undefined, labels?: Readonly<Record<string, string>>]

interface Metric {
  readonly name: string
  readonly kind: Kind
  readonly help: string
  readonly samples: (swarm: SwarmNow, board: Board) => readonly Sample[]
}

const ofSwarm = (name: string, help: string, pick: (swarm: SwarmNow) => number | undefined): Metric => ({
  ...{ name: `murmuration_${name}`, kind: 'gauge', help },
  samples: (swarm) => [[pick(swarm)]]
})

const ofPeers = (name: string, help: string, pick: (peer: PeerView) => number | undefined): Metric => ({
  ...{ name: `murmuration_peer_${name}`, kind: name.endsWith('_total') ? 'counter' : 'gauge', help },
  samples: ({ peers }) => peers.map((peer) => [pick(peer), { peer: peer.name }])
})

const ofLinks = (
  name: string,
  help: string,
  pick: (link: PeerView['links'][number]) => number | undefined
): Metric => ({
  ...{ name: `murmuration_link_${name}`, kind: 'gauge', help },
  samples: ({ peers }) =>
    peers.flatMap((peer) => peer.links.map((link): Sample => [pick(link), { peer: peer.name, to: link[0] }]))
})

const told = (value: number) => (peer: PeerView) => (peer.age === undefined ? undefined : value)
const heard = (pick: (peer: PeerView) => number | undefined) => (peer: PeerView) =>
  told(1)(peer) === undefined ? undefined : pick(peer)

/** All metrics; docs/watching.md lists them. */
export const metrics: readonly Metric[] = [
  ofSwarm('members', 'Peers that have come and have not left.', ({ members }) => members),
  ofSwarm('members_present', 'Members that are there.', ({ present }) => present),
  ofSwarm('consensus_distance', 'How far apart all models are, estimated.', (swarm) => swarm.consensusDistance),
  ofSwarm('accuracy', 'Of the mean model, or the mean of the peers.', ({ accuracy }) => accuracy),
  {
    ...{ name: 'murmuration_rounds', kind: 'gauge', help: 'Rounds of the run, final averaging included.' },
    samples: (_, { facts }) => [[facts.rounds + facts.finalRounds]]
  },
  {
    ...{ name: 'murmuration_peer_condition', kind: 'gauge', help: 'Always 1; its label says how the peer stands.' },
    samples: ({ peers }) => peers.map(({ name, condition }) => [1, { peer: name, condition }])
  },
  {
    ...{ name: 'murmuration_peer_state', kind: 'gauge', help: 'Always 1; its label says how the swarm looks to it.' },
    samples: ({ peers }) =>
      peers.flatMap(({ name, state }): Sample[] => (state === undefined ? [] : [[1, { peer: name, state }]]))
  },
  ofPeers('round', 'The round that comes next.', ({ round }) => round),
  ofPeers('report_age_seconds', 'Time since its last report.', ({ age }) => age),
  ofPeers('loss', 'Mean over its last rounds.', ({ loss }) => loss),
  ofPeers('accuracy', 'Of its own model on the test set.', ({ accuracy }) => accuracy),
  ofPeers(
    'samples_total',
    'Samples it has gone through.',
    heard(({ samples }) => samples)
  ),
  ofPeers(
    'sent_bytes_total',
    'Bytes sent, with overhead.',
    heard(({ bytesSent }) => bytesSent)
  ),
  ofPeers(
    'received_bytes_total',
    'Bytes received, with overhead.',
    heard(({ bytesReceived }) => bytesReceived)
  ),
  ofPeers(
    'working_ratio',
    'Part of the last second in which gradients were computed.',
    heard(({ working }) => working)
  ),
  ofPeers(
    'waiting_ratio',
    'Part of it in which it waited for neighbours.',
    heard(({ waiting }) => waiting)
  ),
  ofPeers(
    'sending_ratio',
    'Part of it in which a vector was under way.',
    heard(({ sending }) => sending)
  ),
  ofLinks('up', 'Whether a link is ready.', ([, state]) => Number(state === 'ready' || state === 'relayed')),
  ofLinks('sent_bytes_per_second', 'Bytes sent over a link.', ([, , sent]) => sent),
  ofLinks('received_bytes_per_second', 'Bytes received over a link.', ([, , , received]) => received),
  ofLinks('round_trip_seconds', 'Round trip of the last ping.', ([, , , , time]) =>
    time === null ? undefined : time / 1000
  )
]

/** All metrics as text. */
export function metricsText(board: Board): string {
  const blocks = metrics.map(({ name, kind, help, samples }) => {
    const lines = samples(board.now, board).flatMap(([value, labels = {}]) =>
      value === undefined ? [] : [`${name}${labelText(labels)} ${value}`]
    )
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines].join('\n')
  })
  return `${blocks.join('\n')}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return texts.length === 0 ? '' : `{${texts.join(',')}}`
}
