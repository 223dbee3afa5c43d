/**
 * What trains a peer: the record of an algorithm, and the session, channels and edges that run it over any Fabric.
 *
 * @packageDocumentation
 */
export { averagingRecord } from './driver/averaging-record.js'
export { Batches, jointBatches, type Shard } from './driver/batches.js'
export { checkpointProblem, stopProblem } from './driver/checkpoint-problem.js'
export { gapOf, GapParts } from './driver/gap.js'
export { checkNumbers } from './driver/first-round.js'
export { type LossRule, lossRule } from './driver/loss-rule.js'
export {
  compresses,
  type Described,
  hasMembers,
  keptOn,
  neededServers,
  optionsOn,
  refusals,
  type Surroundings
} from './driver/needs.js'
export { optimisers, optimiserSettings } from './driver/optimisers.js'
export { outlierText, OutlierWatch } from './driver/outliers.js'
export type { Saved, SavedTree } from './driver/save.js'
export { Session } from './driver/session.js'
export type { StopSettings } from './driver/stop-rule.js'
export type { TrainingSettings } from './driver/training.js'
export type { Epoch } from './epochs/epoch.js'
export type { ElasticSettings, EpochBeginning, EpochSettings } from './epochs/epoch-settings.js'
export { ElasticSession, type ElasticStart } from './epochs/elastic-session.js'
export type { Agreement } from './members/consensus.js'
export type { MembersFabric, MembersOptions, OwnLinks, SwarmStanding } from './members/members-options.js'
export { Members } from './members/members.js'
export { checkAhead } from './messages/ahead.js'
export { partsPerRound } from './messages/message-buffer.js'
export { addFlow, addSent, edgeWeight, kept, mean, meanOf, mix, total, without } from './messages/mixing.js'
export {
  massField,
  massSumField,
  roundsField,
  wholeField,
  type NumberField,
  type RunSize
} from './record/number-fields.js'
export type { PipelineSettings } from './pipeline/line.js'
export { maxHeld, passesOf, type Pass, type PipelineShape, type Schedule } from './pipeline/schedule.js'
export { bestSplitSize, divisorsOf, idealMicroBatches, usualSplitSize } from './pipeline/split-size.js'
export { type LayerCost, planStages, type PlanLimits, type StagePlan } from './pipeline/stage-plan.js'
export { type Hop, type StageTimes, type StepTime, stepTime } from './pipeline/step-time.js'
export { recordProblem } from './record/record-problem.js'
export {
  algorithm,
  branded,
  isAlgorithm,
  perPeer,
  valueOf,
  valuesOf,
  type Algorithm,
  type AnyAnswer,
  type AnyNode,
  type AnyRole,
  type Arrival,
  type BaseNode,
  type Call,
  type Channel,
  type ChannelOf,
  type Channels,
  type Collected,
  type Definition,
  type Description,
  type Flow,
  type Keeps,
  type LateFlow,
  type Message,
  type Mixing,
  type Needs,
  type NextOptions,
  type Node,
  type NodeKernel,
  type NodeTraits,
  type Optimiser,
  type OptimiserSettings,
  type PerPeer,
  type Requests,
  type Role,
  type RoleName,
  type Route,
  type Shape,
  type Shaped,
  type State,
  type VectorKind
} from './record/record.js'
export { MeteredStore, type StoreFigures } from './store/metered-store.js'
export type { Objects } from './store/objects.js'
export { concat, map } from './vectors/operations.js'
export {
  cut,
  rangesByRank,
  rangesOf,
  segmentsOf,
  shardsOf,
  tensorsOf,
  type Calls,
  type Fusion,
  type Tensor
} from './vectors/ranges.js'
export { maxSize, text } from './vectors/sizes.js'
export { sliceLength } from './vectors/slices.js'
export { Arena, linear, linearOf, rangeOf, Vector, type Range, type Term } from './vectors/vector.js'
