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
import { loadAlgorithm, optionsOf } from '../training/algorithm-choice.js'
import { axesOf } from './axes.js'
import { contenderLabel } from './labels.js'
import type { Contender, Scenario } from './scenario.js'
import { scenarioProblems } from './scenario-checks.js'
import type { ContenderDescription } from './scenario-contenders.js'
import { type ScenarioDescription, scenarioSchema } from './scenario-schema.js'
import { absolutePaths } from '../training/training-file.js'
import type { ScenarioTask } from './scenario-task.js'
import { override } from './scenario-training.js'
import { ownServerNames } from './servers.js'
import { timelineOf, timelineProblems } from './timeline.js'
import { tensorsOf } from './traffic.js'

/**
 * Reads a scenario file, and the topology file that it may name. Throws an InputError with a line `file:line:column: …` for
 * everything that is wrong: what was found, what was expected, and the nearest word for a typo. Paths of data come out absolute.
 */
export async function readScenario(path: string): Promise<Scenario> {
  const text = await readText(path)
  const file = parseYamlFile(text, path, scenarioSchema)
  const contenders = await loadContenders(file.value, dirname(resolve(path)))
  if (!contenders.ok) throw file.errorOf(contenders.problems)
  const description = { ...file.value, contenders: contenders.value }
  const topology = await topologyOf(description, dirname(path))
  if (!topology.ok) throw file.errorOf(topology.problems)
  const scenario = complete(description, topology.value, keysOf(file.plain, 'vary'))
  const problems: readonly Problem[] = [
    ...scenarioProblems(scenario),
    ...timelineProblems(file.value.timeline, scenario)
  ]
  if (problems.length > 0) throw file.errorOf(problems)
  return { ...scenario, path, text, task: absolute(scenario.task, dirname(resolve(path))) }
}

/** Loads the modules that contenders name, and completes their options. */
async function loadContenders(
  { contenders }: ScenarioDescription,
  directory: string
): Promise<Result<ScenarioDescription['contenders']>> {
  const complete = await Promise.all(
    contenders.map(async (contender, index): Promise<Result<ContenderDescription>> => {
      if (contender.choice.module === undefined) return { ok: true, value: contender }
      const choice = { ...contender.choice, module: resolve(directory, contender.choice.module) }
      await loadAlgorithm(choice)
      const options = optionsOf(choice)
      if (!options.ok) return { ok: false, problems: within(['contenders', index, 'algorithm'], options.problems) }
      return { ok: true, value: { ...contender, choice: { module: choice.module, ...options.value } } }
    })
  )
  const problems = complete.flatMap((each) => (each.ok ? [] : each.problems))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: complete.flatMap((each) => (each.ok ? [each.value] : [])) }
}

/** Inline, or of another file, which is checked by itself and whose problems are told by its own lines. */
async function topologyOf(
  { topology, contenders }: ScenarioDescription,
  directory: string
): Promise<Result<TopologyDescription>> {
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
  const result = resolveTopology(file.value, ownServerNames(contenders))
  if (!result.ok) throw file.errorOf(result.problems)
  return { ok: true, value: file.value }
}

function complete(
  description: ScenarioDescription,
  topology: TopologyDescription,
  axisNames: readonly string[]
): Omit<Scenario, 'path' | 'text'> {
  const { traffic, vary, seeds, timeline, training, ...rest } = description
  const axes = axesOf(vary, axisNames)
  const seedList = typeof seeds === 'number' ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds
  const contenders = description.contenders.map((contender): Contender => ({
    ...contender,
    label: contenderLabel(contender),
    training: override(training, contender)
  }))
  return {
    ...rest,
    topology,
    training,
    axes,
    contenders,
    seeds: seedList,
    ...(traffic === undefined ? {} : { traffic: tensorsOf(traffic) }),
    timeline: timeline === undefined ? undefined : timelineOf(timeline, axes, contenders, seedList)
  }
}

/** Paths in a file are meant from where the file is. */
function absolute(task: ScenarioTask, directory: string): ScenarioTask {
  if (task.kind === 'model') return { ...task, ...absolutePaths(task, directory) }
  if (task.kind !== 'softmax' || typeof task.data !== 'object' || !('path' in task.data)) return task
  const { path } = task.data
  return { ...task, data: { ...task.data, path: /^https?:\/\//.test(path) ? path : resolve(directory, path) } }
}

/** The keys of a mapping within another, in the order of the file. */
function keysOf(plain: unknown, key: string): readonly string[] {
  const inner = (plain as Readonly<Record<string, unknown>>)[key]
  return typeof inner === 'object' && inner !== null ? Object.keys(inner) : []
}
