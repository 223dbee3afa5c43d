import { InputError } from '@murmuration/core'
import { resolveTopology, type TopologyDescription } from '@murmuration/files'
import { graphLabel } from '@murmuration/topology'
import type { Method, Scenario } from '../sim/scenario/scenario.js'
import { algorithmSchema, optionsOf } from '../training/algorithm-choice.js'
import { type RunPlan, planOf } from '../training/plan.js'
import { type Choice, choicesFor } from './choices.js'

/** One way to train, in a form that can be simulated. */
export interface Candidate {
  readonly choice: Choice
  /** The algorithm with its options that are not the defaults. */
  readonly algorithm: string
  /** The graph, in words. */
  readonly graph: string
  readonly method: Method
  /** Whether it is the plan of the files. */
  readonly isGiven: boolean
}

/** The plan of the files, which is always the first candidate. */
function filePlanOf({ training, file }: RunPlan, scenario: Scenario): Candidate {
  const { algorithm, codec, rate } = training
  const [method] = scenario.methods
  const choice = { algorithm, codec, rate: rate.initial }
  return { choice, algorithm: method.label, graph: graphLabel(file.graph), method, isGiven: true }
}

/** The plan of the files, and all alternatives that the topology and the task allow. */
export function candidatesOf(plan: RunPlan, scenario: Scenario): readonly Candidate[] {
  const filePlan = filePlanOf(plan, scenario)
  const others = choicesFor(plan.training, plan.file.topology.peers).flatMap(
    (choice) => candidateOf(choice, plan, scenario) ?? []
  )
  return distinct([filePlan, ...others])
}

function candidateOf(choice: Choice, plan: RunPlan, { topology }: Scenario): Candidate | undefined {
  const algorithm = algorithmSchema.parse(choice.algorithm)
  const { codec, graph } = choice
  const rate = { ...plan.training.rate, initial: choice.rate }
  const training = { ...plan.training, algorithm, codec, rate }
  try {
    const file = fileOn(topology, graph)
    const { label, options } = planOf(plan.path, file, training)
    const { rounds: _, ...simulated } = training
    const method = { algorithm, fusion: 'fused', label, training: simulated, finalRounds: options.finalRounds } as const
    return { choice, algorithm: label, graph: graphLabel(file.graph), method: { ...method, graph }, isGiven: false }
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

function fileOn(topology: TopologyDescription, graph: Choice['graph'] = topology.graph) {
  const result = resolveTopology({ ...topology, graph })
  if (result.ok) return result.value
  throw new InputError(result.problems.map(({ message }) => message).join('\n'))
}

/** Without duplicates, such as the plan of the files among the others. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const keyOf = ({ choice: { algorithm, codec, rate }, graph }: Candidate) => {
    const options = optionsOf(algorithm)
    return JSON.stringify([algorithm.name, algorithm.module, options.ok && options.value, codec, rate, graph])
  }
  const seen = new Map<string, Candidate>()
  for (const each of candidates) if (!seen.has(keyOf(each))) seen.set(keyOf(each), each)
  return [...seen.values()]
}
