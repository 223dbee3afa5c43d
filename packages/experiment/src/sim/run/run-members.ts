import {
  type AnyAlgorithm,
  type ElasticSettings,
  type EpochBeginning,
  hasMembers,
  Members,
  type MembersFabric
} from '@murmuration/algorithms'
import type { Links, Milliseconds, PeerName, Topology } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import type { EpochRecord } from '@murmuration/results'
import { continuesInEpochs, epochSettings, membersWithoutRows } from '../../training/epoch-settings.js'
import { meetingTimeout } from '../../training/meeting-timeout.js'
import type { Method, Scenario } from '../scenario/scenario.js'

/** What the peers of a simulation are to each other. */
interface RunMembersOptions {
  readonly algorithm: AnyAlgorithm
  readonly method: Method
  readonly membership: Scenario['membership']
  readonly topology: Topology
  readonly links: Links
  readonly servers: readonly PeerName[]
  readonly rounds: number
  readonly timeout: Milliseconds
  readonly now: () => Milliseconds
}

/** The membership of a simulated run, if the scenario has one and the algorithm can continue without some peers. */
export class RunMembers {
  readonly #options: RunMembersOptions
  /** Workers and servers; all peers share the list. */
  readonly #everyone: Topology
  readonly #epochs: EpochRecord[] = []

  constructor(options: RunMembersOptions) {
    this.#options = options
    this.#everyone = membersWithoutRows([...options.topology.peers, ...options.servers])
  }

  /** The scenario's; undefined where it has none. */
  get settings(): Scenario['membership'] {
    return this.#options.membership
  }

  /** The epochs that began after the first. */
  get epochs(): readonly EpochRecord[] {
    return this.#epochs
  }

  /** Whether the run continues in epochs, servers included. */
  get hasEpochs(): boolean {
    const { algorithm, membership } = this.#options
    return membership !== undefined && continuesInEpochs(algorithm, membership)
  }

  /** How one peer takes part. */
  on(fabric: MembersFabric): Pick<ElasticSettings, 'members' | 'epochs'> {
    const { algorithm, method, membership: settings, topology, links, rounds, timeout } = this.#options
    if (settings === undefined) return {}
    const start = Math.max(timeout, meetingTimeout)
    const signer = trustingSigner
    if (hasMembers(algorithm))
      return { members: new Members(fabric, { settings, topology, signer, wait: { start, pause: timeout } }) }
    if (!this.hasEpochs) return {}
    const wait = { start, pause: start }
    const members = new Members(fabric, { settings, topology: this.#everyone, signer, wait })
    const training = { ...method.training, algorithm: method.algorithm, rounds }
    const epochs = epochSettings(training, { topology, links })
    return { members, epochs: { ...epochs, before: (beginning) => this.#record(beginning) } }
  }

  #record({ epoch: { number: epoch, round, members }, lost, joined }: EpochBeginning): void {
    if (this.#epochs.some((record) => record.epoch === epoch)) return
    const names = members.map(({ name }) => name)
    this.#epochs.push({ epoch, round, seconds: this.#options.now() / 1000, members: names, lost, joined })
  }
}
