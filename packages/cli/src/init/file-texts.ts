/** The files that `murmur init` writes, as text. */
import type { Training } from '@murmuration/experiment'
import type { InitChoices } from './choices.js'
import { dataWords, taskWords } from '../words.js'

/** The choices in the form of the files, and values that depend on where the files are. */
export interface FileContents extends Omit<InitChoices, 'data' | 'partition'> {
  /** A kind of graph, with its options. */
  readonly graph: string
  /** Whether the graph gives the mixing weights. */
  readonly givesWeights: boolean
  /** The samples and their partition, if the task learns from data. */
  readonly samples?: { readonly data: string; readonly partition: string }
  /** Whether the algorithm needs a server as well. */
  readonly hasServer: boolean
  /** Where editors find the JSON Schema of a file: a path from the file, or a URL. */
  readonly schema: (name: 'topology' | 'training') => string
  /** How to call the command here: `npx murmur`. */
  readonly command: string
}

const weightsText =
  'weights: metropolis # a neighbour has the weight 1 / (1 + the larger degree of the two), the peer itself has the rest\n'

/** The topology file. */
export function topologyText(contents: FileContents): string {
  return `# yaml-language-server: $schema=${contents.schema('topology')}
# Which peers average with each other. "${contents.command} topology FILE" checks this file and prints neighbours and weights.
graph: ${contents.graph}
${contents.givesWeights ? '' : weightsText}${peersText(contents)}

# The network that the simulator assumes, and by which means over all peers are routed. "${contents.command} swarm" does not slow down the real connections.
links:
  default: { latency: 10 ms, bandwidth: 25 Mbit/s }
`
}

/** The training file. */
export function trainingText({ task, samples, algorithm, schema, command }: FileContents): string {
  return `# yaml-language-server: $schema=${schema('training')}
# What the peers learn, and how. All peers use the same file. A key that is left out has its default.
task: ${task} # ${taskWords.join(', ')}, or { module: ./my-task.js }
${samples === undefined ? '' : samplesText(samples)}algorithm: ${algorithm} # "${command} algorithms" lists them all, with their options
batch: 32 # samples per peer and gradient
optimiser: { name: sgd, momentum: 0.9 }
weightDecay: 1.0e-4
rounds: 400 # rounds of training
codec: float32 # how parameters are sent: float16 and delta-int8 send fewer bytes, auto chooses one for each link by its speed
seed: 1 # equal seeds give equal results
`
}

/** The default learning rate of a training file, as a comment at its end: a file that changes its task has another. */
export function rateText({ initial, warmup }: Training['rate']): string {
  return `# rate: { initial: ${initial}, warmup: ${warmup}, decay: cosine } # the default for this task and these data\n`
}

function samplesText({ data, partition }: NonNullable<FileContents['samples']>): string {
  return `data: ${data} # ${dataWords.join(', ')}, or { path: FOLDER or FILE }
test: 20 % # the fraction of the samples in the test split
partition: ${partition} # equal, label and { dirichlet: 0.5 } divide the samples among the peers; local: each machine has its own
`
}

function peersText({ peers, hasServer, command }: FileContents): string {
  if (typeof peers === 'object') return machinesText(peers, hasServer, command)
  if (!hasServer) return `peers: ${peers} # or names: [alice, bob]`
  const names = Array.from({ length: peers }, (_, index) => `p${index + 1}`)
  return `peers: [${[...names, `{ ${server} }`].join(', ')}]`
}

const server = 'name: server, role: server'

function machinesText(peers: readonly string[], hasServer: boolean, command: string): string {
  const entries = [...peers.map((name) => `name: ${name}`), ...(hasServer ? [server] : [])]
  return `# One machine per peer. "${command} identity NAME" on a machine prints its line with its peer id. Replace the line below by
# it, with the address at which the others reach the machine${hasServer ? '; keep "role: server"' : ''}. All machines use the same file.
peers:
${entries.map((entry) => `  - { ${entry} }`).join('\n')}`
}
