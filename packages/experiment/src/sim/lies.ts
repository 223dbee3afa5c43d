/** Peers that lie: links that carry something else than what a liar's algorithm has sent. */
import type { LinkWire, PeerName, Random, Wire } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/**
 * What liars send in place of their parameters x: −x; 100 x; draws of a normal distribution with the length of x, tenfold; or, of each coordinate, what lies 1.5
 * standard deviations below the mean of what the honest sent last (Baruch, Baruch, Goldberg: A Little Is Enough, NeurIPS 2019, section 3, with its z of CIFAR-10).
 */
export const lies = ['sign-flipped', 'scaled', 'random', 'a little is enough'] as const
export type Lie = (typeof lies)[number]

/** How much is sent too much. */
const [scaling, noise, deviations] = [100, 10, 1.5]

/** A wire on which `liars` send a lie, the same to all at a time. The others' messages go as they are. */
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
    let [sum, squares] = [0, 0]
    for (const vector of honest) {
      sum += vector[i]
      squares += vector[i] ** 2
    }
    const mean = sum / honest.length
    x[i] = mean - deviations * Math.sqrt(Math.max(0, squares / honest.length - mean ** 2))
  }
}
