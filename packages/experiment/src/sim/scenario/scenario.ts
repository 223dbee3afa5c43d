import type { Setting } from '@murmuration/results'
import type { NetworkOptions } from '@murmuration/simulator'
import type { TopologyDescription } from '@murmuration/files'
import type { Axis } from './axes.js'
import type { Computing } from './computing.js'
import type { MethodDescription } from './methods.js'
import type { ScenarioFaults } from './faults.js'
import type { StopRule } from './schema.js'
import type { MembershipDescription } from '../../training/membership-schema.js'
import type { Training } from '../../training/training-schema.js'

/** The training of all peers, as in training files. */
export type SimulatedTraining = Omit<Training, 'algorithm' | 'consensusTolerance' | 'membership' | 'seed'>

/** One algorithm with its options, to compare with others. */
export type Method = MethodDescription & {
  /** Unique within the scenario. */
  readonly label: string
  /** The scenario's, with this method's own values. All have the same rounds. */
  readonly training: Omit<SimulatedTraining, 'rounds'>
  /** Rounds of pure averaging after training; none if absent. */
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

/**
 * A scenario file, checked and complete. Plain data, which can be sent to other threads. Times in ms, rates in bit/s.
 */
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
  /**
   * The number of float32 values in each tensor that determines message sizes; absent for the task's own parameters.
   */
  readonly traffic?: readonly number[]
  /**
   * For each tensor of `traffic`, the fraction of a gradient's computing after which its part is ready; absent where
   * all are ready at the end.
   */
  readonly readyAt?: readonly number[] | undefined
  /** What all methods have in common. */
  readonly training: SimulatedTraining
  readonly computing: Computing
  /** What varies, in the order of the file. */
  readonly axes: readonly Axis[]
  readonly methods: readonly Method[]
  readonly seeds: readonly number[]
  /** `rounds`: also after the number of rounds that the rate is planned for. */
  readonly stop: StopRule & { readonly rounds?: number }
  /** Rounds between two evaluations. */
  readonly evaluate: number
  readonly faults: ScenarioFaults
  /** The membership settings; absent if all peers begin at once and no peer tracks the others. */
  readonly membership?: MembershipDescription
  readonly timeline?: TimelineRequest
}
