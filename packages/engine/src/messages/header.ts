/** What travels beside the fields of a message along an edge, where it differs from the usual. */
export interface EdgeHeader {
  /** The weight that the sender offers; the topology's when absent. */
  readonly offer?: number | undefined
  /** The lives of the sender, and of the receiver as known to the sender. */
  readonly life: number
  readonly toLife: number
}

/** That of a message in first lives, with the topology's weight. Nothing is sent for it. */
export const usualHeader: EdgeHeader = { life: 1, toLife: 1 }

/** No numbers. */
export const noNumbers: readonly number[] = []

/** As numbers: none, the offer, or the offer (0 for none) and both lives. */
export function headerNumbers({ offer, life, toLife }: EdgeHeader): readonly number[] {
  if (life !== 1 || toLife !== 1) return [offer ?? 0, life, toLife]
  return offer === undefined ? noNumbers : [offer]
}

/** The header that {@link headerNumbers} has encoded; undefined for anything else. */
export function readHeader(numbers: readonly number[]): EdgeHeader | undefined {
  if (numbers.length === 0) return usualHeader
  const [offer = 0, life = 1, toLife = 1] = numbers
  const hasLives = numbers.length === 3
  if (numbers.length > 1 && !hasLives) return undefined
  if (!Number.isSafeInteger(life) || !Number.isSafeInteger(toLife) || life < 1 || toLife < 1) return undefined
  if (!(offer >= 0 && offer <= 1) || (numbers.length === 1 && offer === 0)) return undefined
  return { offer: offer === 0 ? undefined : offer, life, toLife }
}

/** As saved. */
export function savedHeader({
  offer = 0,
  life,
  toLife
}: EdgeHeader): Readonly<Record<'offer' | 'life' | 'toLife', number>> {
  return { offer, life, toLife }
}

/** The header that {@link savedHeader} has encoded. */
export function restoredHeader({ offer, life, toLife }: ReturnType<typeof savedHeader>): EdgeHeader {
  return offer === 0 && life === 1 && toLife === 1 ? usualHeader : { offer: offer || undefined, life, toLife }
}
