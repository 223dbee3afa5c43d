/** Edges as a state that can be saved. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Message } from '../record/record.js'
import type { Debt, Edges } from './edge.js'
import type { State } from '../vectors/vector.js'

/** Lives and open exchanges. */
export function savedEdges(edges: Edges<Message>): State {
  const saved: Record<string, State> = {}
  for (const [peer, edge] of edges.entries()) {
    const { life, sentTag: said, skippedTag: skipped, silentUntil, debt } = edge
    saved[peer] = { life, said, skipped, silentUntil, debt: debt === undefined ? {} : savedDebt(debt) }
  }
  return { begun: edges.currentTag, isOpen: edges.isOpen ? 1 : 0, life: edges.life, edges: saved }
}

/**
 * Without the open exchanges of what a policy has saved, if it has any. From a checkpoint all peers continue in the
 * same round: messages of earlier rounds will not arrive again, so debts are left out, which changes the mean.
 */
export function withoutOpen(saved: State): State {
  const { edges } = saved
  if (edges === undefined) return saved
  const closed = Object.entries(edges as Readonly<Record<string, SavedEdge>>).map(([peer, { life }]) => {
    return [peer, { life, said: -1, skipped: -1, silentUntil: -1, debt: {} }] as const
  })
  return { ...saved, isOpen: 0, edges: Object.fromEntries(closed) }
}

/** @param now - when the wait for debts begins again */
export function restoreEdges(
  edges: Edges<Message>,
  { begun, isOpen, life, edges: saved }: State,
  now: Milliseconds
): void {
  edges.currentTag = begun as number
  edges.isOpen = isOpen === 1
  edges.life = life as number
  for (const [peer, state] of Object.entries(saved as State)) {
    const { life, said, skipped, silentUntil, debt } = state as SavedEdge
    const tags = { sentTag: said, skippedTag: skipped, silentUntil }
    edges.restore(peer as PeerName, { life, ...tags, debt: restoredDebt(debt, now) })
  }
}

/** Files have these names. */
type SavedEdge = Readonly<Record<'life' | 'said' | 'skipped' | 'silentUntil', number>> & { readonly debt: State }

function restoredDebt({ tag, mine, offer, theirs }: State, now: Milliseconds): Debt<Message> | undefined {
  if (mine === undefined) return undefined
  const numbers = { tag: tag as number, offer: offer as number, theirs: theirs as number }
  return { ...numbers, mine: mine as Message, since: now, askedAt: undefined }
}

function savedDebt({ tag, mine, offer, theirs }: Debt<Message>): State {
  return { tag, offer, theirs, mine }
}
