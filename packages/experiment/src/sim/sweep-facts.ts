import type { Form, Setting, Sweep } from '@murmuration/results'
import { graphLabel } from '@murmuration/topology'
import { version } from '../version.js'
import { recordOf } from '../training/algorithm-choice.js'
import { optimiserText } from '../training/training-file.js'
import { aboutContender } from './about-contender.js'
import { kindLabel } from './labels.js'
import type { Contender, Scenario } from './scenario.js'
import { stragglersLabel } from './scenario-computing.js'

/** What the report says of a sweep as a whole. */
export function sweepOf(scenario: Scenario, command: string): Sweep {
  const { title, about, text, axes, contenders, seeds, stop } = scenario
  return {
    title,
    about,
    scenario: text,
    command,
    version,
    axes: Object.fromEntries(axes.map(({ name, values }) => [name, values.map(({ setting }): Setting => setting)])),
    contenders: contenders.map((contender) => ({
      label: contender.label,
      about: aboutContender(contender),
      ...formOf(contender)
    })),
    seeds,
    ...(stop.loss === undefined ? {} : { targetLoss: stop.loss }),
    facts: factsOf(scenario)
  }
}

/** How a contender exchanges; those without `calls` stream. */
function formOf(contender: Contender): { readonly form?: Form } {
  const { fusion = contender.fusion, calls = 'streamed' } = contender.choice as Partial<Form>
  return recordOf(contender.choice).name === 'sgd' ? {} : { form: { kind: kindLabel(contender), fusion, calls } }
}

function factsOf({
  topology,
  task,
  traffic,
  training,
  computing,
  network,
  evaluate
}: Scenario): Record<string, string> {
  const peers =
    typeof topology.peers === 'number'
      ? topology.peers
      : topology.peers.filter((peer) => typeof peer === 'string' || peer.role !== 'server').length
  const { rate, batch, optimiser, weightDecay } = training
  const facts: Record<string, string> = {
    topology: `${graphLabel(topology.graph)}, ${peers} peers`,
    task: taskText(task),
    messages: traffic === undefined ? 'the parameters of the task' : trafficText(traffic),
    training: `batch ${batch} per peer, rate ${rate.initial}, ${optimiserText(optimiser)}, weight decay ${weightDecay}`,
    computing: `${computing.perStep} ms per step and ${computing.perSample} ms per sample; stragglers: ${stragglersLabel(computing.stragglers)}`,
    network: `lines shared max-min fairly, ${percent(network.efficiency)} of the nominal bandwidth, acknowledgements ${percent(network.acknowledgements)}, ${network.transport}`,
    evaluation: `the mean of all peers' parameters on the test set, after every ${evaluate === 1 ? 'round' : `${evaluate} rounds`}`
  }
  const slow = Object.entries(computing.slow).map(([peer, times]) => `${peer} × ${times}`)
  return slow.length === 0 ? facts : { ...facts, 'slow peers': slow.join(', ') }
}

function taskText({ kind, ...options }: Scenario['task']): string {
  const shown = Object.entries(options).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`
  )
  return [kind, ...shown].join(', ')
}

function trafficText(tensors: readonly number[]): string {
  const numbers = tensors.reduce((sum, size) => sum + size, 0)
  return `${numbers.toLocaleString('en-US')} float32 numbers in ${tensors.length} ${tensors.length === 1 ? 'tensor' : 'tensors'}`
}

const percent = (share: number) => `${Number((100 * share).toFixed(2))} %`
