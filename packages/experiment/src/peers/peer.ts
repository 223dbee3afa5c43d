/**
 * One peer of a run, from the run's files to the trained model: the part of this package that runs in a browser, too.
 *
 * @packageDocumentation
 */
export { failureKindOf } from '../base/errors.js'
export type * from '../base/events.js'
export { factsOfRun, learned, modelFile, type ModelFacts } from '../models/model-file.js'
export { type RunPlan, sampleTexts, taskOf } from '../training/plan.js'
export { localWeights } from '../training/training-schema.js'
export { taskText } from '../training/task-description.js'
export { admissionOf } from './admission/admission.js'
export { keyNameOf } from './admission/key-name.js'
export { fingerprintOf, planOfFiles, type ReceivedFiles, runFilesIn } from './admission/run-files.js'
export { type PeerPart, trainAsPeer } from './train-as-peer.js'
export type { OtherPeer } from './watching/watching.js'
