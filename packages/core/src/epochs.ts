/** Messages carry the number of their epoch modulo this. */
export const epochsApart = 1 << 16

/** Whether an epoch is later than another, both modulo 65,536: it is ahead by less than half of that. */
export function isLaterEpoch(epoch: number, other: number): boolean {
  const ahead = (epoch - other + epochsApart) % epochsApart
  return ahead > 0 && ahead < epochsApart / 2
}
