/** Which rows a lost peer held, as far as another peer knows, in words: for the error that names them. */
import { NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { KeyServer } from './key-server.js'

/** At most so many ranges of keys are listed. */
const maxRanges = 6

/** The rows of at most so many peers are named. */
const maxNamed = 4

interface RowsOfPeers {
  readonly server: Pick<KeyServer, 'held' | 'whereIs'>
  /** Of all peers, by their indices. */
  readonly names: readonly PeerName[]
  /** How many rows there are. */
  readonly count: number
}

/** The error, with the rows that these peers held. */
export function withHeldRows(
  { missing, message }: NeighboursMissingError,
  lost: readonly PeerName[],
  rows: RowsOfPeers
): NeighboursMissingError {
  const texts = lost
    .slice(0, maxNamed)
    .map((name) => heldText(name, keysAt(rows, rows.names.indexOf(name)), rows.count))
  const more = lost.length > maxNamed ? [`and ${lost.length - maxNamed} more`] : []
  return new NeighboursMissingError(missing, [message, ...texts, ...more].join('; '))
}

/** The keys, ascending, of the rows that are not here and are asked of the peer with this index. */
export function keysAt({ server, count }: Omit<RowsOfPeers, 'names'>, peer: number): readonly number[] {
  const here = server.held().keys
  const keys: number[] = []
  let next = 0
  for (let key = 0; key < count; key++)
    if (here[next] === key) next++
    else if (server.whereIs(key) === peer) keys.push(key)
  return keys
}

/** What a peer held: where rows move, those of its home may have moved to a peer of which this one does not know. */
export function heldText(name: PeerName, keys: readonly number[], count: number): string {
  if (keys.length === 0) return `${name} held no rows that are known here`
  return `${name} held, or was the home of, ${withThousands(keys.length)} of ${withThousands(count)} rows: ${keysText(keys)}`
}

/** Ascending keys as ranges: the first ones, and the last. */
export function keysText(keys: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = []
  for (const key of keys) {
    const range = ranges.at(-1)
    if (range !== undefined && range.last + 1 === key) range.last = key
    else ranges.push({ first: key, last: key })
  }
  const texts = ranges.map(({ first, last }) =>
    first === last ? withThousands(first) : `${withThousands(first)} to ${withThousands(last)}`
  )
  if (texts.length <= maxRanges) return texts.join(', ')
  return [...texts.slice(0, maxRanges - 1), '…', texts.at(-1)].join(', ')
}

/** With a comma between thousands, whatever the locale. */
function withThousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
