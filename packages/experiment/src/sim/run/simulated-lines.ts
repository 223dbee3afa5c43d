/** Models in stages in the simulator: the task of each peer, and the steps of a line as those of one peer. */
import type { AnySettings, PipelineSettings } from '@murmuration/algorithms'
import type { PeerName, StageTask, StepReport } from '@murmuration/core'
import type { PipelineOfFile, TopologyFile } from '@murmuration/files'
import type { TaskSet } from '@murmuration/tasks'
import { joinedVector } from '../../base/joined-vector.js'
import { endsOf, pipelineSettings, placeInLines, replicasOf, settingsOfStage } from '../../training/pipeline.js'
import type { Training } from '../../training/training-schema.js'
import type { Method } from '../scenario/scenario.js'

/** How batches are split in a run; undefined where the model is not cut. */
export const pipelineOf = pipelineSettings

/** The lines of one run. */
export class SimulatedLines {
  readonly #pipeline: PipelineOfFile
  readonly #taskSet: TaskSet
  readonly #links: TopologyFile['links']
  readonly #algorithm: Method['algorithm']
  readonly #training: Pick<Training, 'pipeline' | 'batch'>
  /** What the peers of a line have reported of a round, by stage. */
  readonly #reports = new Map<string, Float32Array[]>()

  constructor(
    pipeline: PipelineOfFile,
    links: TopologyFile['links'],
    taskSet: TaskSet,
    { algorithm, training }: Pick<Method, 'algorithm' | 'training'>
  ) {
    this.#pipeline = pipeline
    this.#links = links
    this.#taskSet = taskSet
    this.#algorithm = algorithm
    this.#training = training
  }

  /** The first peer of each line, which stands for it. */
  get names(): readonly PeerName[] {
    return this.#pipeline.lines.map(([first]) => first)
  }

  /** The peers of each stage. */
  get replicas(): readonly (readonly PeerName[])[] {
    return this.#pipeline.lines[0].map((_, stage) => replicasOf(this.#pipeline, stage))
  }

  /** The settings of a peer's stage. */
  settingsOf<Given extends AnySettings>(peer: PeerName, settings: Given): Given {
    const file = { pipeline: this.#pipeline, links: this.#links }
    return settingsOfStage(settings, file, this.#algorithm, this.stageOf(peer))
  }

  stageOf(peer: PeerName): number {
    return placeInLines(this.#pipeline, peer).stage
  }

  /** Rejects with an InputError for a model that cannot be cut so. */
  async taskOf(peer: PeerName): Promise<StageTask> {
    const { line, stage } = placeInLines(this.#pipeline, peer)
    const { stages } = this.#taskSet.of(this.names[line])
    const { pipeline, batch } = this.#training
    const settings = pipelineOf({ pipeline: this.#pipeline }, this.#training) as PipelineSettings
    const ends = endsOf(stages?.parts, settings, { ...pipeline, batch })
    return stages?.of(ends[stage], ends[stage + 1]) as Promise<StageTask>
  }

  /**
   * Takes a peer's report. Returns that of its line, with the whole model, once all its peers have reported the round.
   */
  take(peer: PeerName, report: StepReport): { readonly name: PeerName; readonly report: StepReport } | undefined {
    const { line, stage } = placeInLines(this.#pipeline, peer)
    const name = this.names[line]
    const key = `${name} ${report.round}`
    const parts = this.#reports.get(key) ?? []
    this.#reports.set(key, parts)
    // Valid only until the next step.
    parts[stage] = report.parameters.slice()
    if (Object.keys(parts).length < this.#pipeline.lines[line].length) return undefined
    this.#reports.delete(key)
    return { name, report: { ...report, parameters: joinedVector(parts) } }
  }
}
