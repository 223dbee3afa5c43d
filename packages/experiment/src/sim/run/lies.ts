/** Peers that lie: a wire that replaces what a liar's algorithm sends. */
import type { LinkWire, PeerName, Random, Wire } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/**
 * What liars send instead of their parameters x: −x; 100 x; normal draws with ten times the norm of x; or, in each
 * coordinate, a value 1.5 standard deviations below the mean of the honest peers' last vectors (Baruch, Baruch,
 * Goldberg: A Little Is Enough, NeurIPS 2019, section 3, with its z for CIFAR-10).
 */
export const lies = ['sign-flipped', 'scaled', 'random', 'a little is enough'] as const
export type Lie = (typeof lies)[number]

/** The factor of a scaled vector. */
const scaling = 100
/** The deviation of random numbers, in that of the vector's own. */
const noise = 10
/** The distance of a little lie, in deviations. */
const deviations = 1.5

/** A wire on which `liars` send a lie, the same to all receivers in a round. Other messages are unchanged. */
export function lyingWire<W extends Wire<VectorMessage>>(
  wire: W,
  liars: ReadonlySet<PeerName>,
  lie: Lie,
  random: Random
): W {
  const honest = new Map<PeerName, Float32Array>()
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const inner = wire.link?.(from, to) ?? wire
    const copy = (message: VectorMessage): VectorMessage => {
      const sent = inner.copy(message)
      if (liars.has(from)) distort(sent.vector, lie, random.stream(`${from} ${message.round}`), [...honest.values()])
      else honest.set(from, message.vector.slice())
      return sent
    }
    return { copy, byteLength: (message) => inner.byteLength(message), payloadLength: (m) => inner.payloadLength(m) }
  }
  return { ...wire, link }
}

function distort(x: Float32Array, lie: Lie, random: Random, honest: readonly Float32Array[]): void {
  if (lie === 'sign-flipped') for (let i = 0; i < x.length; i++) x[i] = -x[i]
  if (lie === 'scaled') for (let i = 0; i < x.length; i++) x[i] *= scaling
  if (lie === 'random') {
    const deviation = noise * Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length)
    for (let i = 0; i < x.length; i++) x[i] = deviation * random.normal()
  }
  if (lie !== 'a little is enough' || honest.length === 0) return
  for (let i = 0; i < x.length; i++) {
    let sum = 0
    let squares = 0
    for (const vector of honest) {
      sum += vector[i]
      squares += vector[i] ** 2
    }
    const mean = sum / honest.length
    x[i] = mean - deviations * Math.sqrt(Math.max(0, squares / honest.length - mean ** 2))
  }
}
