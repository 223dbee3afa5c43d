/** Models in stages in the simulator: the task of each peer, and the steps of a line as those of one peer. */
import type { PipelineSettings } from '@murmuration/algorithms'
import type { PeerName, StageTask, StepReport } from '@murmuration/core'
import type { PipelineOfFile } from '@murmuration/files'
import type { TaskSet } from '@murmuration/tasks'
import { endsOf, placeInLines } from '../../training/pipeline.js'
import type { Training } from '../../training/training-schema.js'

/** The lines of one run. */
export class SimulatedLines {
  readonly #pipeline: PipelineOfFile
  readonly #settings: PipelineSettings
  readonly #taskSet: TaskSet
  readonly #training: Pick<Training, 'pipeline' | 'batch'>
  /** What the peers of a line have reported of a round, by stage. */
  readonly #reports = new Map<string, Float32Array[]>()

  constructor(
    pipeline: PipelineOfFile,
    settings: PipelineSettings,
    taskSet: TaskSet,
    training: Pick<Training, 'pipeline' | 'batch'>
  ) {
    this.#pipeline = pipeline
    this.#settings = settings
    this.#taskSet = taskSet
    this.#training = training
  }

  /** The first peer of each line, which stands for it. */
  get names(): readonly PeerName[] {
    return this.#pipeline.lines.map(([first]) => first)
  }

  get stages(): number {
    return this.#pipeline.lines[0].length
  }

  stageOf(peer: PeerName): number {
    return placeInLines(this.#pipeline, peer).stage
  }

  /** Rejects with an InputError for a model that cannot be cut so. */
  async taskOf(peer: PeerName): Promise<StageTask> {
    const { line, stage } = placeInLines(this.#pipeline, peer)
    const { stages } = this.#taskSet.of(this.names[line])
    const { pipeline, batch } = this.#training
    const ends = endsOf(stages?.parts, this.#settings, { ...pipeline, batch })
    return stages?.of(ends[stage], ends[stage + 1]) as Promise<StageTask>
  }

  /** Takes a peer's report. Returns that of its line, with the whole model, once all its peers have reported the round. */
  take(peer: PeerName, report: StepReport): { readonly name: PeerName; readonly report: StepReport } | undefined {
    const { line, stage } = placeInLines(this.#pipeline, peer)
    const name = this.names[line]
    const key = `${name} ${report.round}`
    const parts = this.#reports.get(key) ?? []
    this.#reports.set(key, parts)
    // Valid only until the next step.
    parts[stage] = report.parameters.slice()
    if (Object.keys(parts).length < this.stages) return undefined
    this.#reports.delete(key)
    return { name, report: { ...report, parameters: joined(parts) } }
  }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}
