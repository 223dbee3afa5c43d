/** What the loss of a peer means for the others: one table, for all that acts on it or says it. */
import { type Described, hasMembers } from './needs.js'

/** What follows for the others when a peer is lost. */
export interface LossRule {
  readonly onLoss: 'continues' | 'continues in a new epoch' | 'ends'
  /** What the others do, or why they cannot continue: a clause without a full stop. */
  readonly reason: string
  /** Whether peers may also come late, join, or come back. */
  readonly joins: boolean
  /** Where the run ends: why, for messages when it does. */
  readonly because?: string
}

const rules = {
  edges: {
    onLoss: 'continues',
    reason: 'nobody waits for a lost peer, and the graph bypasses it',
    joins: true
  },
  store: {
    onLoss: 'continues',
    reason: 'the parameters are in the store, and workers go to another service; the loss of the last service ends it',
    joins: false
  },
  epochs: {
    onLoss: 'continues in a new epoch',
    reason: 'the others wait for about a second, agree on who continues, and begin anew with the mean of their models',
    joins: true
  },
  rows: {
    onLoss: 'ends',
    reason: 'the rows that a peer holds are complete nowhere else, and a round ends only once all have ended it',
    joins: false
  },
  stop: {
    onLoss: 'ends',
    reason: 'membership has "onLoss: stop", so nobody opens a new epoch',
    joins: false,
    because: 'the file says "onLoss: stop"'
  }
} as const satisfies Readonly<Record<string, LossRule>>

/**
 * What the loss of a peer means with this algorithm.
 *
 * @param onLoss - the user's choice: with `stop` nobody opens a new epoch; it changes nothing for other algorithms
 */
export function lossRule(record: Described, onLoss: 'continue' | 'stop' = 'continue'): LossRule {
  if (hasMembers(record)) return rules.edges
  if (record.needs.store !== undefined) return rules.store
  if (record.channels === undefined) return { ...rules.rows, because: `${record.title} needs every peer` }
  return onLoss === 'stop' ? rules.stop : rules.epochs
}
