/** Opens the channels of a record. */
import { type Answer, Caller } from '../channels/caller.js'
import { Mailbox } from '../channels/mailbox.js'
import type { ControlKinds, EdgePolicy } from '../edges/edge-policy.js'
import type { Algorithm, AnyRole, Call, Shape } from '../record/record.js'
import { exchangeEvery } from './needs.js'
import type { Peer } from './peer.js'
import type { TrainingSettings } from './training.js'

/** The first wire numbers of a record's messages. */
export interface Kinds {
  readonly first: number
  readonly firstControl: number
}

/** A record on a peer. */
interface OpenedRecord {
  readonly settings: TrainingSettings
  readonly record: Algorithm
  readonly role: AnyRole
}

/** How the requests of others are answered. */
interface Serving {
  answerOf(name: string): Answer | undefined
  /** Processes a request: what is computed for it belongs to the state or to nothing. */
  atOnce(act: () => void): void
}

/** By name. */
export interface OpenedChannels {
  readonly channels: Readonly<Record<string, Mailbox | Caller>>
  /** Those whose messages carry mass that leaves its sender for good. */
  readonly massChannels: readonly { readonly name: string; readonly mailbox: Mailbox }[]
}

const none: OpenedChannels['massChannels'] = []

/** @param kinds - the wire numbers of the record's first channel, and of its first exchange's control messages */
export function openChannels(
  peer: Peer,
  { settings, record, role }: OpenedRecord,
  kinds: Kinds,
  serving: Serving
): OpenedChannels {
  const channels: Record<string, Mailbox | Caller> = {}
  let massChannels = none
  const { handlers } = peer
  const every = exchangeEvery(settings)
  const first = record === settings.algorithm ? 0 : settings.rounds
  let kind = kinds.first
  let control = kinds.firstControl
  const isReliable = record.needs.delivery === 'reliable'
  for (const [name, channel] of Object.entries(record.channels)) {
    const traits = { name, kind, isReliable, carriesModels: role.model === undefined && carriesModels(channel) }
    const late = record.edges?.[name]
    const controls = { skip: control, withdraw: control + 1 }
    if (late !== undefined) control += 2
    if (isCall(channel)) {
      const edges = typeof late === 'number' ? { kinds: controls, weight: late } : undefined
      const caller = new Caller(peer, traits, channel, serving.answerOf(name), edges)
      handlers.set(kind++, { accept: (envelope) => serving.atOnce(() => caller.acceptAsk(envelope)) })
      handlers.set(kind++, { accept: (envelope) => caller.acceptReply(envelope) })
      channels[name] = caller
      if (edges !== undefined) openEdges(peer, caller.policy, controls, Number.POSITIVE_INFINITY)
    } else {
      const how = typeof late === 'string' ? late : ('owed' as const)
      const edges = late === undefined ? undefined : { kinds: controls, late: how, every, first }
      const mailbox = new Mailbox(peer, traits, channel, edges)
      handlers.set(kind++, mailbox)
      channels[name] = mailbox
      if (edges !== undefined) openEdges(peer, mailbox.policy, controls)
      if (late === 'added') massChannels = massChannels.concat({ name, mailbox })
    }
  }
  return { channels, massChannels }
}

/** Registers the control messages of a channel's edges. */
function openEdges({ handlers, edges }: Peer, policy: EdgePolicy, kinds: ControlKinds, rounds?: number): void {
  handlers.set(kinds.skip, edges)
  handlers.set(kinds.withdraw, edges)
  edges.add(policy, kinds, rounds)
}

/** Whether a channel is one of requests. */
export function isCall(channel: Shape | Call): channel is Call {
  return typeof channel.ask === 'object'
}

/**
 * Whether a message is its sender's `x`, which is the model where a role has no other: a whole vector, without numbers
 * that belong to it.
 */
function carriesModels(channel: Shape | Call): boolean {
  const [first, ...others] = Object.entries(channel)
  return first?.[0] === 'x' && first[1] === 'vector' && others.every(([, kind]) => kind === 'vector')
}
