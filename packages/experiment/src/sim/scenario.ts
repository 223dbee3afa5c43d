import type { Setting } from '@murmuration/results'
import type { NetworkOptions } from '@murmuration/simulator'
import type { TopologyDescription } from '@murmuration/files'
import type { Axis } from './axes.js'
import type { Computing } from './scenario-computing.js'
import type { MethodDescription } from './scenario-methods.js'
import type { ScenarioFaults } from './scenario-faults.js'
import type { StopRule } from './scenario-schema.js'
import type { Membership } from '../training/membership-schema.js'
import type { Training } from '../training/training-schema.js'

/** How peers train, as in training files. */
export type SimulatedTraining = Omit<Training, 'algorithm' | 'consensusTolerance' | 'membership' | 'seed'>

/** What is compared: one algorithm with its options. */
export type Method = MethodDescription & {
  /** Unique within the scenario. */
  readonly label: string
  /** The scenario's, with what this method has otherwise. All have the same rounds. */
  readonly training: Omit<SimulatedTraining, 'rounds'>
  /** Rounds of pure averaging after those of training; none when absent. */
  readonly finalRounds?: number
}

/** An interval of some runs that is kept event by event. */
export interface TimelineRequest {
  /** Labels. */
  readonly methods: readonly string[]
  /** Virtual milliseconds. */
  readonly from: number
  readonly to: number
  /** One value of each axis. */
  readonly settings: Readonly<Record<string, Setting>>
  readonly seed: number
}

/** A scenario file, checked and complete. Plain data, which can be sent to other threads. Times in ms, rates in bit/s. */
export interface Scenario {
  /** As it was given. */
  readonly path: string
  /** The file as it was read. */
  readonly text: string
  readonly title: string
  readonly description: string
  /** Before anything varies. */
  readonly topology: TopologyDescription
  readonly network: NetworkOptions
  /** float32 numbers of each tensor that messages weigh; absent for the task's own parameters. */
  readonly traffic?: readonly number[]
  /** What all methods have in common. */
  readonly training: SimulatedTraining
  readonly computing: Computing
  /** What varies, in the order of the file. */
  readonly axes: readonly Axis[]
  readonly methods: readonly Method[]
  readonly seeds: readonly number[]
  /** Also after so many rounds, of those for which the rate is planned. */
  readonly stop: StopRule & { readonly rounds?: number }
  /** Rounds from one evaluation to the next. */
  readonly evaluate: number
  readonly faults: ScenarioFaults
  /** How peers are members of the swarm; absent where all begin at once and nobody notes who is there. */
  readonly membership?: Membership
  readonly timeline?: TimelineRequest
}
