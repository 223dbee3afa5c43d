import { cpus } from 'node:os'
import { basename } from 'node:path'
import { readText } from '@murmuration/files'
import type { PeerName } from '@murmuration/core'
import type { Sweep } from '@murmuration/results'
import { recordOf } from '../../training/algorithm-choice.js'
import { type RunPlan, type RunRequest, startEvent } from '../../training/plan.js'
import { taskText } from '../../training/task-description.js'
import { version } from '#platform'

/** The context of a run, in addition to its files. */
export interface RunCircumstances {
  /** The command that reproduces the results. */
  readonly command: string
  /** Records only the figures of this peer; default: of all. */
  readonly peer?: PeerName
  /** A file with links; connections are made as slow as these. */
  readonly links?: string
  /** The files of the run, as they were read. */
  readonly texts: string
  /** The task's description of itself: model, data, backend. */
  readonly task: Readonly<Record<string, string>>
}

/** The title of a real run, and of its simulation, in the report. */
export function runTitle({ topology, train, method }: RunRequest): string {
  if (method !== undefined) return `${method} of ${basename(topology)}`
  return `${basename(topology)} with ${train === undefined ? 'the default training' : basename(train)}`
}

/** The files of the run in sequence, as YAML documents. */
export async function runTexts({ topology, train }: RunRequest, links?: string): Promise<string> {
  const paths = [topology, ...(train === undefined ? [] : [train]), ...(links === undefined ? [] : [links])]
  const texts = await Promise.all(paths.map(readText))
  return texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('---\n')
}

/** The report's description of a real run. */
export function sweepOfRun(plan: RunPlan, request: RunRequest, circumstances: RunCircumstances): Sweep {
  const { command, peer, texts } = circumstances
  return {
    title: peer === undefined ? runTitle(request) : `${peer} of ${runTitle(request)}`,
    description: '',
    scenario: texts,
    command,
    version,
    axes: {},
    methods: [{ label: plan.label, description: descriptionOf(plan, peer) }],
    seeds: [plan.options.seed],
    facts: factsOf(plan, circumstances)
  }
}

function descriptionOf({ algorithm, training }: RunPlan, peer?: PeerName): string {
  const scope = peer === undefined ? '' : ` Only the peer ${peer}: its own model, samples and bytes.`
  return `${algorithm} (${recordOf(training.algorithm).source}).${scope}`
}

function factsOf(plan: RunPlan, { peer, links, task }: RunCircumstances): Record<string, string> {
  const { topology, peers } = startEvent(plan)
  const { rounds, finalRounds } = plan.options
  const slowLinks = links ?? (plan.links === undefined ? undefined : plan.path)
  const { backend = 'TypeScript' } = task
  const [{ model } = { model: 'unknown' }, ...others] = cpus()
  const placement = peer === undefined ? 'all peers are processes on this machine' : 'each peer is on its own machine'
  return {
    topology: `${topology}, ${peers.length} peers${serversText(plan)}`,
    task: taskText(plan.training),
    ...(task.model === undefined ? {} : { model: task.model }),
    ...(task.partition === undefined ? {} : { partition: task.partition }),
    backend: task.backendReason === undefined ? backend : `${backend} (${task.backendReason})`,
    training: plan.algorithm,
    rounds: finalRounds === 0 ? String(rounds) : `${rounds}, and ${finalRounds} final averaging rounds`,
    messages: plan.training.codec,
    network: slowLinks === undefined ? 'not shaped' : `links shaped as in ${slowLinks}`,
    machine: `${others.length + 1} cores (${model}), ${process.platform} ${process.arch}, Node ${process.version}; ${placement}`
  }
}

function serversText({ file: { servers } }: RunPlan): string {
  if (servers.length === 0) return ''
  return `, ${servers.length === 1 ? 'server' : 'servers'} ${servers.map(({ name }) => name).join(', ')}`
}
