/** A place of a limited number: its holder, and whether it is idle. */
export interface Place {
  /** The {@link sourceOf} an address, or a peer id. */
  readonly holder: string
  readonly isIdle: boolean
}

/**
 * The place to free when there are too many: of the holder with the most places, the oldest idle one; when none is
 * idle, the oldest. So a holder needs no fixed limit while there is room, and one that takes all places loses only its
 * own. `undefined` without places.
 *
 * @param places - in order of arrival; all of them, the new one included
 */
export function placeToFree<P extends Place>(places: readonly P[]): P | undefined {
  const counts = new Map<string, number>()
  for (const { holder } of places) counts.set(holder, (counts.get(holder) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const many = places.filter(({ holder }) => counts.get(holder) === most)
  return many.find(({ isIdle }) => isIdle) ?? many[0]
}
