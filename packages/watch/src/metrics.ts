/** Metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
import type { Board } from './board.js'
import type { PeerView, SwarmNow } from './messages.js'

type Kind = 'gauge' | 'counter'

/**
 * A value, and its labels. Names of peers, states, conditions and versions need no escaping: none has a quote, a
 * backslash or a line feed.
 */
type Sample = readonly [value: number | undefined, labels?: Readonly<Record<string, string>>]

interface Metric {
  readonly name: string
  readonly kind: Kind
  readonly help: string
  readonly samples: (swarm: SwarmNow, board: Board) => readonly Sample[]
}

const ofSwarm = (name: string, help: string, pick: (swarm: SwarmNow) => number | undefined): Metric => ({
  name: `murmuration_${name}`,
  kind: 'gauge',
  help,
  samples: (swarm) => [[pick(swarm)]]
})

const ofPeers = (name: string, help: string, pick: (peer: PeerView) => number | undefined): Metric => ({
  name: `murmuration_peer_${name}`,
  kind: name.endsWith('_total') ? 'counter' : 'gauge',
  help,
  samples: ({ peers }) => peers.map((peer) => [pick(peer), { peer: peer.name }])
})

const ofLinks = (
  name: string,
  help: string,
  pick: (link: PeerView['links'][number]) => number | undefined
): Metric => ({
  name: `murmuration_link_${name}`,
  kind: 'gauge',
  help,
  samples: ({ peers }) =>
    peers.flatMap((peer) => peer.links.map((link): Sample => [pick(link), { peer: peer.name, to: link[0] }]))
})

/** No value for a peer without a report. */
const ifReported = (pick: (peer: PeerView) => number) => (peer: PeerView) =>
  peer.age === undefined ? undefined : pick(peer)

/** All metrics; docs/use/watching.md lists them. */
export const metrics: readonly Metric[] = [
  {
    name: 'murmuration_build_info',
    kind: 'gauge',
    help: 'Always 1; its labels are the versions of this peer.',
    samples: (_, { facts: { version, wire } }) => [[1, { version, wire: String(wire) }]]
  },
  ofSwarm('members', 'Peers that have joined and have not left.', ({ members }) => members),
  ofSwarm('members_present', 'Members that are present.', ({ present }) => present),
  ofSwarm('epoch', 'Number of the epoch, 0 for the first.', ({ epoch }) => epoch?.number ?? 0),
  ofSwarm('consensus_distance', 'Consensus distance of all models, estimated.', (swarm) => swarm.consensusDistance),
  ofSwarm('duality_gap', 'Bound of P − D, where a dual is ascended.', ({ gap }) => gap),
  ofSwarm('accuracy', 'Accuracy of the mean model, or mean accuracy of the peers.', ({ accuracy }) => accuracy),
  {
    name: 'murmuration_rounds',
    kind: 'gauge',
    help: 'Rounds of the run, final averaging included.',
    samples: (_, { facts }) => [[facts.rounds + facts.finalRounds]]
  },
  {
    name: 'murmuration_peer_condition',
    kind: 'gauge',
    help: 'Always 1; its label is the condition of the peer.',
    samples: ({ peers }) => peers.map(({ name, condition }) => [1, { peer: name, condition }])
  },
  {
    name: 'murmuration_peer_state',
    kind: 'gauge',
    help: 'Always 1; its label is the state of the swarm as the peer sees it.',
    samples: ({ peers }) =>
      peers.flatMap(({ name, state }): Sample[] => (state === undefined ? [] : [[1, { peer: name, state }]]))
  },
  ofPeers('round', 'The next round of the peer.', ({ round }) => round),
  ofPeers('report_age_seconds', 'Time since the last report of the peer.', ({ age }) => age),
  ofPeers('loss', 'Mean loss over the rounds since its previous report.', ({ loss }) => loss),
  ofPeers('accuracy', 'Accuracy of its own model on the test set.', ({ accuracy }) => accuracy),
  ofPeers(
    'samples_total',
    'Samples processed.',
    ifReported(({ samples }) => samples)
  ),
  ofPeers(
    'sent_bytes_total',
    'Bytes sent, with overhead.',
    ifReported(({ bytesSent }) => bytesSent)
  ),
  ofPeers(
    'received_bytes_total',
    'Bytes received, with overhead.',
    ifReported(({ bytesReceived }) => bytesReceived)
  ),
  ofPeers(
    'working_ratio',
    'Fraction of the time since its previous report in which it computed gradients.',
    ifReported(({ working }) => working)
  ),
  ofPeers(
    'waiting_ratio',
    'Fraction of the time since its previous report in which it waited for neighbours.',
    ifReported(({ waiting }) => waiting)
  ),
  ofPeers(
    'sending_ratio',
    'Fraction of the time since its previous report in which a vector was in flight.',
    ifReported(({ sending }) => sending)
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
