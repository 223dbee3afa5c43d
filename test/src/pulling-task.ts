import type { PeerName, Task } from '@murmuration/core'

/** A task of `length` parameters, which every peer pulls towards a point of its own. Its loss has no meaning. */
export function pullingTask(peers: readonly PeerName[], self: PeerName, length: number): Task {
  const goal = Float32Array.from({ length }, (_, k) => Math.sin(k * (1 + peers.indexOf(self))))
  const pull = (x: Float32Array) => x.map((value, k) => value - goal[k])
  return {
    schema: [{ name: 'x', shape: [length] }],
    samples: 8,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(length) }),
    gradient: (x, batch) => ({ kind: 'gradient', samples: batch.length, run: () => ({ loss: 1, vector: pull(x) }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 1 }) })
  }
}
