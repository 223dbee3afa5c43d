/** Who exchanges with whom: for each process, the numbers of its neighbours. */

/** Two processes. */
export const pair = [[1], [0]]

/** Each process exchanges with the one before and the one behind. */
export const ring = (count) => Array.from({ length: count }, (_, k) => [(k + count - 1) % count, (k + 1) % count])

/** Process 0 exchanges with all others, and these with none but it. */
export const star = (leaves) => [
  Array.from({ length: leaves }, (_, k) => k + 1),
  ...Array.from({ length: leaves }, () => [0])
]

/** Vectors that go over all links, both ways, in one round. */
export const transfersOf = (shape) => shape.reduce((sum, neighbours) => sum + neighbours.length, 0)
