/** The simulation of a run of `murmur swarm`: the same topology and training, in virtual time. */
import { InputError } from '@murmuration/core'
import { parseYamlFile, readText, topologySchema } from '@murmuration/files'
import { runTexts, runTitle } from '../peers/recording/run-sweep.js'
import { makePlan } from '../make-plan.js'
import type { RunPlan, RunRequest } from '../training/plan.js'
import { snapshotsEvery } from '../peers/reporting/snapshots.js'
import { localWeights } from '../training/training-schema.js'
import type { Scenario } from '../sim/scenario/scenario.js'
import { computingSchema } from '../sim/scenario/computing.js'
import { faultsSchema } from '../sim/scenario/faults.js'
import { networkSchema } from '../sim/scenario/network.js'

/**
 * A scenario of one run. Its peers take the same steps as those of `murmur swarm`, bit for bit. Throws an InputError
 * when a file is wrong, or has a setting that a simulation cannot have.
 */
export async function scenarioOfRun(request: RunRequest): Promise<Scenario> {
  const plan = await makePlan(request)
  if (plan.training.algorithm.name === 'sgd') {
    throw new InputError('sgd exchanges nothing, so there is nothing to simulate; name another algorithm')
  }
  return scenarioOfPlan(plan, request)
}

/** The same for files that were read; `request` names them. */
export async function scenarioOfPlan(
  { training, options, label, file }: RunPlan,
  request: RunRequest
): Promise<Scenario> {
  const text = await readText(request.topology)
  const { algorithm, consensusTolerance: _, membership, seed, ...simulated } = training
  const { codec, rounds } = training
  if (codec === 'auto') {
    const message =
      'codec "auto" chooses by the measured speed of real links, which a simulation does not have; name a codec'
    throw new InputError(message)
  }
  if (localWeights(training) !== undefined) {
    throw new InputError('partition "local" uses the data of other machines; a simulation needs another partition')
  }
  return {
    path: request.topology,
    text: await runTexts(request),
    title: runTitle(request),
    description: '',
    topology: parseYamlFile(text, request.topology, topologySchema).value,
    network: networkSchema.parse(undefined),
    training: simulated,
    computing: computingSchema.parse(undefined),
    axes: [],
    methods: [{ algorithm, fusion: 'fused', label, training: simulated, finalRounds: options.finalRounds }],
    seeds: [seed],
    stop: {},
    evaluate: snapshotsEvery(rounds),
    faults: faultsSchema.parse(undefined),
    // Where the model is cut, all peers are there from the start to the end.
    ...(file.pipeline === undefined ? { membership } : {})
  }
}
