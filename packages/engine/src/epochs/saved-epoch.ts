/** A checkpoint of a run in epochs: the session's, and the epoch in which it was saved. */
import { InputError, type PeerName } from '@murmuration/core'
import type { Saved, SavedTree } from '../driver/save.js'
import type { Epoch } from './epoch.js'

/**
 * With the session's state under `session`. Lives are not saved: all members begin anew where they resume. Nor are
 * pairs that could not exchange vectors.
 */
export function savedEpoch({ number, round, members, servers }: Epoch, { tree, vectors }: Saved): Saved {
  const samples = Object.fromEntries(members.map((place) => [place.name, place.samples]))
  const roles = Object.fromEntries(servers.map((name) => [name, 1]))
  return { tree: { epoch: { number, round, members: samples, servers: roles }, session: tree }, vectors }
}

/** What {@link savedEpoch} has saved. Throws an InputError for anything else. */
export function epochOf({ tree, vectors }: Saved): { readonly epoch: Epoch; readonly session: Saved } {
  const { epoch, session } = recordOf(tree, 'the state')
  if (session === undefined) throw new InputError('the state: found no session, expected one')
  const { number, round, members, servers } = recordOf(epoch, 'the state/epoch')
  const places = Object.entries(recordOf(members, 'the state/epoch/members'))
  return {
    epoch: {
      number: countOf(number, 'number'),
      round: countOf(round, 'round'),
      members: places.map(([name, samples]) => ({ name: name as PeerName, life: 1, samples: countOf(samples, name) })),
      servers: Object.keys(recordOf(servers, 'the state/epoch/servers')) as PeerName[],
      givers: [],
      broken: []
    },
    session: { tree: session, vectors }
  }
}

function recordOf(tree: SavedTree | undefined, path: string): { readonly [name: string]: SavedTree | undefined } {
  if (typeof tree === 'object' && !Array.isArray(tree)) return tree as { readonly [name: string]: SavedTree }
  throw new InputError(`${path}: found ${typeof tree}, expected a record of a run in epochs`)
}

function countOf(value: SavedTree | undefined, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new InputError(`the state/epoch/${name}: found ${JSON.stringify(value)}, expected a whole number`)
}
