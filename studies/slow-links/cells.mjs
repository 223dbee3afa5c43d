// The cells of the map, its seeds, and the fastest settings in a cell.
export const bandwidths = [1, 5, 20, 100]
export const latencies = [1, 10, 50, 150]
/** Settings and methods are chosen with these seeds. */
export const choosing = [1, 2, 3]
/** They are measured with these seeds, which chose nothing. */
export const fresh = [11, 12, 13, 14, 15, 16, 17, 18]

/** Two of the sixteen peers compute four times as slowly as the others. */
const slow = { p03: 4, p11: 4 }

/** A step takes 10 ms; Mbit/s each way, ms one way. */
export const cells = [false, true].flatMap((hasStragglers) =>
  bandwidths.flatMap((mbits) =>
    latencies.map((latency) => ({
      name: `${mbits} Mbit/s, ${latency} ms${hasStragglers ? ', stragglers' : ''}`,
      mbits,
      latency,
      hasStragglers,
      bandwidth: mbits * 1e6,
      perStep: 10,
      slow: hasStragglers ? slow : {}
    }))
  )
)

/**
 * The trained network is 64-32-10 on digits of 8 × 8; its messages have the size of those of examples/mnist/mlp.yaml,
 * 784-128-10.
 */
const mlpLength = (inputs, hidden) => (inputs + 1) * hidden + (hidden + 1) * 10
export const messageLength = mlpLength(784, 128)

export function setupOf(peers) {
  return { peers, batch: 16, rounds: 243, every: 3, lengths: { trained: mlpLength(64, 32), message: messageLength }, data: { size: 8, samples: 12000 }, plainRounds: 150, rates: [0.1, 0.3, 0.8] } // oxfmt-ignore
}

/** The indices of a method's settings that reach the target in a cell, the fastest first. */
export function bestOf(known, method, cell, seed) {
  return [...known.values()]
    .filter((line) => line.method === method && line.seed === seed && line.ms[cell] !== undefined)
    .sort((left, right) => left.ms[cell] - right.ms[cell])
    .map(({ place }) => place)
}
