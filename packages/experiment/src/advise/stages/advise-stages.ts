/** Advice where no peer has room for the model, or the topology file has stages: into which stages to cut it. */
import { InputError, type Links, type Milliseconds } from '@murmuration/core'
import { createLinks, linksBefore, parseYamlFile, readLinksFiles, readText } from '@murmuration/files'
import { topologySchema, withPeerStages, withYamlValues } from '@murmuration/files'
import { loadTask } from '@murmuration/tasks'
import { lengthOf } from '@murmuration/vectors'
import { makePlan } from '../../make-plan.js'
import { leastMemory, memoryOf, roomIn } from '../../training/memory.js'
import { sharersOf } from '../../training/pipeline.js'
import { type RunPlan, type RunRequest, taskOf } from '../../training/plan.js'
import type { AdviceFiles } from '../files.js'
import { partTimes } from './part-times.js'
import { type StagesOfPlan, stagePlans } from './stage-plans.js'

/** Plans for a model in stages. */
export interface StageAdvice {
  /** The fastest by the batch first. */
  readonly plans: readonly StagesOfPlan[]
  readonly batch: number
  /** How long this machine takes for a batch with the whole model. */
  readonly alone: Milliseconds
  /** How much memory a process takes with the whole model, at least, in bytes. */
  readonly needed: number
  /** The least memory of a peer, in bytes; absent where the file does not say. */
  readonly memory: number | undefined
}

/** What to read besides the files of the run. */
interface StageAdviceOptions {
  /** Links files, and folders with such files; before the links of the topology file. */
  readonly links?: readonly string[] | undefined
  readonly signal: AbortSignal
}

/**
 * Plans for a model in stages; undefined where the file has none, and each peer has room for the whole model. The
 * passes of each layer are measured once, on this machine.
 *
 * @throws InputError for a model that cannot be cut, or has no room on all peers together
 */
export async function adviseStages(
  request: RunRequest,
  { links: paths = [], signal }: StageAdviceOptions
): Promise<StageAdvice | undefined> {
  const plan = await makePlan(request)
  const { file, training } = plan
  const memory = leastMemory(file)
  if (memory === undefined && file.pipeline === undefined) return undefined
  const [first] = sharersOf(file)
  const { module, options } = taskOf(plan, first)
  // Only the layers that are measured take memory.
  const task = await loadTask({ module, options: { ...(options as object), hasLateWeights: true } })
  const needed = memoryOf(lengthOf(task.schema), file.peers.length > 1, training)
  if (file.pipeline === undefined && memory !== undefined && needed <= memory) return undefined
  const { stages } = task
  if (stages === undefined) throw new InputError('the task has no layers, so its model cannot be cut into stages')
  const { batch, pipeline: { schedule = '1f1b' } = {} } = training
  const times = await partTimes(stages, batch, signal)
  const { targets } = (await stages.of(0, stages.parts.length)).stage
  const room = memory === undefined ? undefined : (hasReplicas: boolean) => roomIn(memory, hasReplicas, training)
  const peers = file.topology.peers
  const links = await linksOf(plan, request, paths)
  const plans = stagePlans({ peers, links, parts: stages.parts, times, targets, batch, schedule, room })
  if (plans.length === 0)
    throw new InputError(
      `${request.topology}: found no number of stages that divides ${peers.length} peers and has room for the ${stages.parts.length} parts of the model; add peers, or memory`
    )
  const alone = times.reduce((sum, { backward }) => sum + backward.perPass + batch * backward.perSample, 0)
  return { plans, batch, alone, needed, memory }
}

async function linksOf({ file }: RunPlan, { topology }: RunRequest, paths: readonly string[]): Promise<Links> {
  if (paths.length === 0) return file.links
  const names = file.peers.map(({ name }) => name)
  const { links = {} } = parseYamlFile(await readText(topology), topology, topologySchema).value
  return createLinks(linksBefore(await readLinksFiles(paths, names), links), names)
}

/** The files of a run with a plan's stages. All else stays as it is, with comments. */
export async function stageFiles(
  { topology, train }: Pick<RunRequest, 'topology' | 'train'>,
  { lines, cuts, splitSize }: StagesOfPlan
): Promise<AdviceFiles> {
  const peers = lines.flatMap((line) => line.map((name, stage) => ({ name, stage })))
  return {
    topology: withPeerStages(await readText(topology), peers),
    train: withYamlValues(train === undefined ? '' : await readText(train), [
      [['pipeline', 'cuts'], cuts],
      [['pipeline', 'splitSize'], splitSize]
    ])
  }
}
