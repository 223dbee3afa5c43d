import { localWeights, type RunPlan, sampleTexts, taskText } from '@murmuration/experiment/peer'
import { namedSets } from '@murmuration/data/peer'
import type { Invitation } from '@murmuration/libp2p'
import type { RunCard, SampleNeed } from './run.js'

/** What a person reads of a run before the tab joins it. */
export function cardOf({ name, run, expires }: Invitation, plan: RunPlan): RunCard {
  const { training, options, file } = plan
  return {
    run,
    place: name,
    expires,
    task: learnedOf(plan),
    model: taskText(training),
    algorithm: options.algorithm.title,
    rounds: options.rounds,
    peers: file.topology.peers,
    samples: samplesOf(plan),
    leaves: leavesOf(plan, name)
  }
}

/** What is learned, for a person who knows no names of models and of data sets. */
export function learnedOf(plan: Pick<RunPlan, 'training'>): string {
  const { data, task } = plan.training
  const set = namedSets.find(({ name }) => (typeof data === 'string' ? data === name : name in data))
  if (set !== undefined) {
    const { name, isText, hasImages } = set
    if (isText) return 'to continue texts'
    return hasImages ? `to tell apart what images show (${name})` : `to tell two kinds of points apart (${name})`
  }
  const samples = samplesOf(plan)
  switch (samples.kind) {
    case 'text':
      return 'to continue texts'
    case 'images':
      return 'to tell apart what images show'
    case 'table':
      return `to predict ${samples.columns === undefined ? 'one column of a table' : samples.columns.join(', ')} from the other columns`
    case 'none':
      return task.kind ?? 'what its module says'
  }
}

/** The data of a file are not in a page: its person gives them. */
export function samplesOf({ training: { data, task, test } }: Pick<RunPlan, 'training'>): SampleNeed {
  if (typeof data === 'string') return isDrawn(data) ? { kind: 'none' } : { kind: 'images' }
  if (!('path' in data)) return { kind: 'none' }
  const common = typeof test === 'number' ? {} : { test: nameOf([test.path].flat()[0]) }
  const paths = typeof data.path === 'string' ? [data.path] : data.path
  if (task.kind === 'gpt' || paths.some((path) => /\.txt(\.gz)?$/i.test(path))) return { kind: 'text', ...common }
  if (paths.some((path) => /\.(csv|parquet|libsvm|svm|svmlight)(\.gz)?$/i.test(path)))
    return { kind: 'table', ...common, ...(data.target === undefined ? {} : { columns: [data.target] }) }
  return { kind: 'images', ...common }
}

/** Whether a data set is drawn, rather than downloaded, which a page does not. */
function isDrawn(name: string): boolean {
  return ['digits', 'gaussians', 'sentences'].includes(name)
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return /[^/\\]*$/.exec(path.replace(/[/\\]$/, ''))?.[0] ?? path
}

function leavesOf(plan: RunPlan, self: string): readonly string[] {
  const { options, training, file } = plan
  const others = file.topology.peers.filter((name) => name !== self)
  const samples = sampleTexts(plan)
  const counts = localWeights(training) === undefined ? [] : ['How many samples you give is told to the other peers.']
  return [
    `In each of ${options.rounds} rounds, numbers of the model go to other peers: to ${others.join(', ')}, or some of them.`,
    ...(samples.length > 0
      ? ['Training samples are sent to all peers: this algorithm compares them there.']
      : ['Your data stay in this browser; what the model has learned of them does not.']),
    ...counts,
    'The peers see the network address of this machine.'
  ]
}
