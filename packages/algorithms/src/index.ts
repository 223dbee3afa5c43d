/**
 * The algorithms, each one record, and what they are made of.
 *
 * @packageDocumentation
 */
export * from './parts/averaging.js'
export { Batches, jointBatches, type Shard } from '@murmuration/engine'
export * from './parts/collectives/broadcast.js'
export { meanOver, type MeanSettings, ringMean } from './parts/collectives/mean-over.js'
export type { CollectiveChannel } from './parts/collectives/ranks.js'
export { dpsgd } from './methods/dpsgd.js'
export { mix, edgeWeight, addFlow, addSent, total, mean, meanOf, kept, without } from '@murmuration/engine'
export { resistancesOf, type Resistances } from './parts/meetings.js'
export {
  compresses,
  endsWithLoss,
  hasMembers,
  keptOn,
  neededServers,
  optionsOn,
  refusals,
  type Surroundings
} from '@murmuration/engine'
export type { Agreement } from '@murmuration/engine'
export { Keys } from '@murmuration/rows'
export { KeyPeer, type KeyPeerOptions } from '@murmuration/rows'
export { KeyServer, type KeySetting, type SendTo } from '@murmuration/rows'
export type { KeyMessage } from '@murmuration/rows'
export type { Operation } from '@murmuration/rows'
export { type IntentOptions, IntentKeyServer } from '@murmuration/rows'
export { plainSgdProblem, type PlainSgdSettings } from '@murmuration/rows'
export { rowsAlgorithm, type RowsAlgorithm, type RowsDefinition } from '@murmuration/rows'
export { StaleKeyServer, type StalenessOptions } from '@murmuration/rows'
export { RelocatingKeyServer } from '@murmuration/rows'
export { Members } from '@murmuration/engine'
export { MeteredStore, type StoreFigures } from '@murmuration/engine'
export type { MembersFabric, MembersOptions, SwarmStanding } from '@murmuration/engine'
export type { Saved, SavedTree } from '@murmuration/engine'
export { checkpointProblem } from '@murmuration/engine'
export { Session } from '@murmuration/engine'
export type { TrainingSettings } from '@murmuration/engine'
export { concat, map } from '@murmuration/engine'
export { linear, type Range, rangeOf, type Term, Vector } from '@murmuration/engine'
export { optimisers, optimiserSettings } from '@murmuration/engine'
export { OutlierWatch, outlierText } from '@murmuration/engine'
export { massField, massSumField, wholeField, roundsField, type RunSize, type NumberField } from '@murmuration/engine'
export {
  perPeer,
  valueOf,
  valuesOf,
  algorithm,
  isAlgorithm,
  type Collected,
  type PerPeer,
  type Route,
  type Mixing,
  type Shape,
  type VectorKind,
  type Shaped,
  type Call,
  type Channels,
  type Channel,
  type NextOptions,
  type Arrival,
  type Requests,
  type ChannelOf,
  type Flow,
  type LateFlow,
  type RoleName,
  type BaseNode,
  type NodeTraits,
  type Node,
  type Needs,
  type Keeps,
  type Role,
  type Definition,
  type Description,
  type AnyNode,
  type AnyAnswer,
  type AnyRole,
  type Algorithm,
  type Message,
  type State,
  type Optimiser,
  type OptimiserSettings
} from '@murmuration/engine'
export * from './registry.js'
export * from './parts/schedule.js'
export { type AnySettings, hasRows, train } from './train.js'
export {
  tensorsOf,
  rangesOf,
  segmentsOf,
  cut,
  rangesByRank,
  shardsOf,
  type Fusion,
  type Calls,
  type Tensor
} from '@murmuration/engine'
