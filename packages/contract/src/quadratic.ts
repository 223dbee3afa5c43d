import type { PeerName, Task, Topology } from '@murmuration/core'

/** The minimum of each peer's quadratic, and of all together. */
export interface Quadratics {
  readonly taskOf: (peer: PeerName) => Task
  readonly optimum: readonly number[]
}

const curvatures = [0.6, 1, 0.8, 0.5]

/** The penalty of the dual, below all curvatures. */
const λ = 0.4

/** The samples of each peer; their offsets from its minimum have the mean 0. */
const all = Uint32Array.from({ length: 8 }, (_, sample) => sample)

/**
 * Peer i's `f_i(x) = ½ Σ_d a_d (x_d − b_id)²` with a little noise per sample: the joint optimum is the mean of the
 * `b_i`. It has as many parameters as `a` has elements.
 *
 * @param spread - how far apart the `b_i` lie
 */
export function quadratics({ peers }: Topology, spread = 4): Quadratics {
  const centre = (peer: PeerName, d: number) => 3 - d + spread * (peers.indexOf(peer) / peers.length - 0.4 + 0.1 * d)
  const taskOf = (peer: PeerName): Task => {
    const index = Math.max(0, peers.indexOf(peer))
    return {
      schema: [{ name: 'x', shape: [curvatures.length] }],
      samples: 8,
      about: {},
      initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(curvatures.length) }),
      gradient: (x, batch) => ({
        kind: 'gradient',
        samples: batch.length + index / 8,
        run: () => gradientAt(x, peer, batch)
      }),
      dual: {
        width: curvatures.length,
        step: (v, a, order) => ({ kind: 'dual', samples: order.length, run: () => dualStep(v, a, order, peer) })
      },
      evaluate: (x) => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: gradientAt(x, peer).loss }) })
    }
  }
  const gradientAt = (x: Float32Array, peer: PeerName, batch: Uint32Array = all) => {
    const offset = batch.reduce((sum, sample) => sum + (sample - 3.5) / 50, 0) / batch.length
    const distances = Array.from(x, (value, d) => value - centre(peer, d) - offset)
    const loss = distances.reduce((sum, distance, d) => sum + (curvatures[d] * distance ** 2) / 2, 0)
    return { loss, vector: Float32Array.from(distances, (distance, d) => curvatures[d] * distance) }
  }
  /**
   * f_i with λ of each curvature in the penalty: for a sample and a parameter there remains `ℓ(z) = c z² / 2 − g z`,
   * and `−ℓ*(−a) = −(g − a)² / (2 c)`.
   */
  const dualStep = (v: Float32Array, a: Float32Array, order: Uint32Array, peer: PeerName) => {
    const next = { vector: v.slice(), a: a.slice() }
    for (const sample of order) {
      for (const [d, curvature] of curvatures.entries()) {
        const c = curvature - λ
        const at = sample * curvatures.length + d
        const g = curvature * (centre(peer, d) + (sample - 3.5) / 50)
        const change = (g - next.a[at] - c * next.vector[d]) / (1 + c / (λ * all.length))
        next.a[at] += change
        next.vector[d] += change / (λ * all.length)
      }
    }
    return { ...next, loss: gradientAt(v, peer).loss, gap: { value: 0, slope: 0, curvature: 0 } }
  }
  const optimum = curvatures.map((_, d) => peers.reduce((sum, peer) => sum + centre(peer, d), 0) / peers.length)
  return { taskOf, optimum }
}
