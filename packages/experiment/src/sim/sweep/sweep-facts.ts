import type { Form, Setting, Sweep } from '@murmuration/results'
import { graphLabel } from '@murmuration/topology'
import { version } from '#platform'
import { recordOf } from '../../training/algorithm-choice.js'
import { taskText } from '../../training/task-description.js'
import { optimiserText } from '../../training/training-file.js'
import { kindLabel, methodText } from '../scenario/labels.js'
import type { Method, Scenario } from '../scenario/scenario.js'
import { stragglersLabel } from '../scenario/computing.js'

/** The report's description of a sweep. */
export function sweepOf(scenario: Scenario, command: string): Sweep {
  const { title, description, text, axes, methods, seeds, stop } = scenario
  return {
    title,
    description,
    scenario: text,
    command,
    version,
    axes: Object.fromEntries(axes.map(({ name, values }) => [name, values.map(({ setting }): Setting => setting)])),
    methods: methods.map((method) => ({
      label: method.label,
      description: methodText(method),
      ...formOf(method)
    })),
    seeds,
    ...(stop.loss === undefined ? {} : { targetLoss: stop.loss }),
    facts: factsOf(scenario)
  }
}

/** How a method exchanges; those without `calls` stream. */
function formOf(method: Method): { readonly form?: Form } {
  const { fusion = method.fusion, calls = 'streamed' } = method.algorithm as Partial<Form>
  return recordOf(method.algorithm).name === 'sgd' ? {} : { form: { kind: kindLabel(method), fusion, calls } }
}

function factsOf({ topology, traffic, training, computing, network, evaluate }: Scenario): Record<string, string> {
  const peers =
    typeof topology.peers === 'number'
      ? topology.peers
      : topology.peers.filter((peer) => typeof peer === 'string' || peer.role !== 'server').length
  const { rate, batch, optimiser, weightDecay } = training
  const facts: Record<string, string> = {
    topology: `${graphLabel(topology.graph)}, ${peers} peers`,
    task: taskText(training),
    messages: traffic === undefined ? 'the parameters of the task' : trafficText(traffic),
    training: `batch ${batch} per peer, rate ${rate.initial}, ${optimiserText(optimiser)}, weight decay ${weightDecay}`,
    computing: `${computing.perStep} ms per step and ${computing.perSample} ms per sample; stragglers: ${stragglersLabel(computing.stragglers)}`,
    network: `lines shared max-min fairly, ${percent(network.efficiency)} of the nominal bandwidth, acknowledgements ${percent(network.acknowledgements)}, ${network.transport}`,
    evaluation: `the mean of all peers' parameters on the test set, after every ${evaluate === 1 ? 'round' : `${evaluate} rounds`}`
  }
  const slow = Object.entries(computing.slow).map(([peer, times]) => `${peer} × ${times}`)
  return slow.length === 0 ? facts : { ...facts, 'slow peers': slow.join(', ') }
}

function trafficText(tensors: readonly number[]): string {
  const numbers = tensors.reduce((sum, size) => sum + size, 0)
  return `${numbers.toLocaleString('en-US')} float32 numbers in ${tensors.length} ${tensors.length === 1 ? 'tensor' : 'tensors'}`
}

const percent = (fraction: number) => `${Number((100 * fraction).toFixed(2))} %`
