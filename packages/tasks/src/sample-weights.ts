import type { Gradient, PeerName, Schema, StageTask, StageWorks, Task, TaskDual } from '@murmuration/core'
import { scale, unpack } from '@murmuration/vectors'

/**
 * The factor of a peer's gradient with which every sample of all peers has the same weight: `s_i = n · m_i / Σ_j m_j`
 * with `m_j` the samples of peer `j` and `n` the peers. Averaging with doubly stochastic weights seeks the point where
 * the mean over the peers of `s_i ∇f_i` is zero, `f_i` being the mean loss of peer `i`; with these factors that mean is
 * the gradient of `F = Σ_i (m_i / Σ_j m_j) f_i`, the mean loss over the union of the samples (as McMahan et al. weigh
 * clients, AISTATS 2017, arXiv 1602.05629, eq. 1). The factors have the mean 1, so that a penalty that all share keeps
 * its weight.
 */
export function gradientWeight(samples: ReadonlyMap<PeerName, number>, self: PeerName): number {
  const all = [...samples.values()].reduce((sum, count) => sum + count, 0)
  return (samples.size * (samples.get(self) ?? 0)) / all
}

/**
 * The task with its gradients multiplied by `factor`, and the same weights in its dual. The loss is the task's own.
 */
export function withGradientWeight<Given extends Task | StageTask>(task: Given, factor: number): Task {
  if (factor === 1) return task
  const { schema } = task
  return {
    ...('stage' in task && { stage: weighedStage(schema, task.stage, factor) }),
    schema: task.schema,
    samples: task.samples,
    about: task.about,
    ...(task.fingerprints === undefined ? {} : { fingerprints: task.fingerprints }),
    signature: task.signature,
    initialise: (seed) => task.initialise(seed),
    evaluate: (parameters) => task.evaluate(parameters),
    dual: task.dual && {
      ...task.dual,
      step: (v, a, order, options) =>
        (task.dual as TaskDual).step(v, a, order, { ...options, meanSamples: task.samples / factor })
    },
    ...(task.generate && { generate: task.generate.bind(task) }),
    gradient: (parameters, batch, round) => {
      const work = task.gradient(parameters, batch, round)
      return { ...work, run: async () => scaled(task.schema, await work.run(), factor) }
    }
  }
}

/** What a stage hands to the one before is not scaled: each scales its own gradient. */
function weighedStage(schema: Schema, stage: StageWorks, factor: number): StageWorks {
  const { inputs, outputs, targets, isFirst, isLast } = stage
  return {
    ...{ inputs, outputs, targets, isFirst, isLast },
    take: (samples) => stage.take(samples),
    forward: (...given) => stage.forward(...given),
    backward: (...given) => {
      const work = stage.backward(...given)
      const run = async () => {
        const gradient = await work.run()
        return { ...scaled(schema, gradient, factor), inputs: gradient.inputs }
      }
      return { ...work, run }
    }
  }
}

/**
 * In place: the task owns the vector, which is valid until its next gradient. The values of statistics are not scaled:
 * they are no gradients.
 */
function scaled(schema: Schema, gradient: Gradient, factor: number): Gradient {
  for (const [index, values] of unpack(schema, gradient.vector).entries()) {
    if (schema[index].kind === undefined) scale(values, factor)
  }
  return gradient
}
