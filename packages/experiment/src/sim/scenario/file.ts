import { dirname, resolve } from 'node:path'
import { InputError, type Problem, problem, within } from '@murmuration/core'
import {
  parseYamlFile,
  readText,
  type Result,
  resolveTopology,
  type TopologyDescription,
  topologySchema
} from '@murmuration/files'
import { loadAlgorithm, optionsOf } from '../../training/algorithm-choice.js'
import { axesOf } from './axes.js'
import { methodLabel } from './labels.js'
import type { Method, Scenario, SimulatedTraining } from './scenario.js'
import { scenarioProblems } from './checks.js'
import type { MethodDescription } from './methods.js'
import { endless, type ScenarioDescription, scenarioSchema } from './schema.js'
import { completeRate } from '../../training/default-rate.js'
import { absolutePaths, learningProblems } from '../../training/training-file.js'
import { ownServerNames } from './servers.js'
import { timelineOf, timelineProblems } from './timeline.js'
import { tensorsOf, tensorsReadyAt } from './traffic.js'

/**
 * Reads a scenario file, and the topology file that it may name. Throws an InputError with a line `file:line:column: …`
 * for each problem: what was found, what was expected, and the nearest word for a typo. Paths of data become absolute.
 */
export async function readScenario(path: string): Promise<Scenario> {
  const text = await readText(path)
  const file = parseYamlFile(text, path, scenarioSchema)
  const methods = await loadMethods(file.value, dirname(resolve(path)))
  if (!methods.ok) throw file.errorOf(methods.problems)
  const description = { ...file.value, methods: methods.value }
  const topology = await topologyOf(description, dirname(path))
  if (!topology.ok) throw file.errorOf(topology.problems)
  const stages = stagesProblems(topology.value, description)
  if (stages.length > 0) throw file.errorOf(stages)
  const scenario = complete(description, topology.value, keysOf(file.plain, 'vary'), dirname(resolve(path)))
  const problems: readonly Problem[] = [
    ...learningProblems(scenario.training, file.plain),
    ...seedProblems(file.value),
    ...scenarioProblems(scenario),
    ...timelineProblems(file.value.timeline, scenario)
  ]
  if (problems.length > 0) throw file.errorOf(problems)
  return { ...scenario, path, text }
}

/** Where the model is cut, all stages are there from the start, and messages are as long as their activations. */
function stagesProblems(
  { stages, peers }: TopologyDescription,
  { traffic, membership }: Pick<ScenarioDescription, 'traffic' | 'membership'>
): readonly Problem[] {
  const areGiven =
    typeof peers !== 'number' && peers.some((peer) => typeof peer !== 'string' && peer.stage !== undefined)
  if (stages === undefined && !areGiven) return []
  return Object.entries({ traffic, membership }).flatMap(([name, value]) =>
    value === undefined ? [] : [problem([name], `found ${name}, expected none where the topology has stages`)]
  )
}

/** Loads the modules of methods, and completes their options. */
async function loadMethods(
  { methods }: ScenarioDescription,
  directory: string
): Promise<Result<readonly MethodDescription[]>> {
  const complete = await Promise.all(
    methods.map(async (method, index): Promise<Result<MethodDescription>> => {
      const { module } = method.algorithm
      const path = module === undefined ? {} : { module: resolve(directory, module) }
      const algorithm = { ...method.algorithm, ...path }
      await loadAlgorithm(algorithm)
      const options = optionsOf(algorithm)
      if (!options.ok) return { ok: false, problems: within(['methods', index, 'algorithm'], options.problems) }
      const { name } = method.algorithm
      return {
        ok: true,
        value: { ...method, algorithm: { ...(name === undefined ? {} : { name }), ...path, ...options.value } }
      }
    })
  )
  const problems = complete.flatMap((each) => (each.ok ? [] : each.problems))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: complete.flatMap((each) => (each.ok ? [each.value] : [])) }
}

/** Inline, or from another file, which is checked separately; its problems have its own lines. */
async function topologyOf({ topology, methods }: Loaded, directory: string): Promise<Result<TopologyDescription>> {
  if (typeof topology !== 'string') return { ok: true, value: topology }
  const path = resolve(directory, topology)
  let text: string
  try {
    text = await readText(path)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { ok: false, problems: [problem(['topology'], error.message)] }
  }
  const file = parseYamlFile(text, path, topologySchema)
  const result = resolveTopology(file.value, ownServerNames(methods))
  if (!result.ok) throw file.errorOf(result.problems)
  return { ok: true, value: file.value }
}

/** A scenario's description with its methods complete. */
type Loaded = Omit<ScenarioDescription, 'methods'> & { readonly methods: readonly MethodDescription[] }

function complete(
  loaded: Loaded,
  topology: TopologyDescription,
  axisNames: readonly string[],
  directory: string
): Omit<Scenario, 'path' | 'text'> {
  const { title, description, network, computing, stop, evaluate, faults, traffic, timeline, membership } = loaded
  const axes = axesOf(loaded.vary, axisNames)
  const seeds = seedsOf(loaded)
  const training = absolutePaths(trainingOf(loaded), directory)
  const methods = loaded.methods.map((method): Method => ({
    ...method,
    label: methodLabel(method),
    training: override(training, loaded, method)
  }))
  return {
    title,
    description,
    topology,
    network,
    training,
    computing,
    axes,
    methods,
    seeds,
    stop,
    evaluate,
    faults,
    ...(traffic === undefined ? {} : { traffic: tensorsOf(traffic), readyAt: tensorsReadyAt(traffic) }),
    ...(membership === undefined ? {} : { membership }),
    timeline: timeline === undefined ? undefined : timelineOf(timeline, axes, methods, seeds)
  }
}

/** The fields that a training file has too. */
function trainingOf(loaded: Loaded): SimulatedTraining {
  const { task, backend, data, loss, test, partition, dataSeed } = loaded
  const { batch, accumulate, optimiser, weightDecay, clip, rate, codec, timeout, pipeline } = loaded
  const { rounds = loaded.stop.time === undefined ? 400 : endless } = loaded
  const learning = { task, backend, data, loss, test, partition }
  const always = { batch, accumulate, optimiser, weightDecay, codec, timeout }
  return {
    ...learning,
    ...always,
    ...defined({ clip, dataSeed, pipeline, store: loaded.store, stop: loaded.stop.peers }),
    rounds,
    rate: completeRate(rate, { ...learning, optimiser, rounds })
  }
}

/** The training with a method's own values. The default rate is that for its optimiser. */
function override(training: SimulatedTraining, { rate }: Loaded, method: MethodDescription): SimulatedTraining {
  const { batch = training.batch, codec = training.codec, optimiser = training.optimiser } = method
  const ofMethod = { ...training, batch, codec, optimiser }
  return { ...ofMethod, rate: completeRate({ ...rate, ...defined(method.rate ?? {}) }, ofMethod) }
}

function defined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Value>
}

function seedsOf({ seed = 1, seeds = [seed] }: Pick<Loaded, 'seed' | 'seeds'>): readonly number[] {
  return typeof seeds === 'number' ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds
}

function seedProblems({ seed, seeds }: ScenarioDescription): Problem[] {
  if (seed === undefined || seeds === undefined) return []
  return [{ path: ['seed'], at: 'key', message: 'found seed and seeds, expected one of them' }]
}

/** The keys of a mapping within another, in the order of the file. */
function keysOf(plain: unknown, key: string): readonly string[] {
  const inner = (plain as Readonly<Record<string, unknown>>)[key]
  return typeof inner === 'object' && inner !== null ? Object.keys(inner) : []
}
