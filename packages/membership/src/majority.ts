/**
 * Whether `count` peers are more than half of `all`. Of two equal halves neither is: each would have to go on without
 * knowing whether the other does.
 */
export function isMajority(count: number, all: number): boolean {
  return 2 * count > all
}
