// The second map: 48 homes and two clouds of 8, stragglers and churn.
import { createRandom } from '@murmuration/random'
import { peersOf } from './engine.mjs'
import { setupOf } from './cells.mjs'

export const peers = peersOf(64)
export const setup = { ...setupOf(peers), rounds: 486, judge: 'mean' }

/** Peers 0 to 47 are homes, a third of each kind: Mbit/s up and down, and the latency to the exchange in ms. */
const homes = [{ up: 5, down: 25, access: 20 }, { up: 20, down: 100, access: 10 }, { up: 100, down: 100, access: 5 }] // oxfmt-ignore
const homeCount = 48
const cloud = { up: 1000, down: 1000, access: 1 }
/** One-way latency between the two regions in ms. Each region has half of each kind of homes, and a cloud. */
const between = 30

const facts = new Map(peers.map((peer, k) => [peer, k < homeCount ? { ...homes[k % 3], region: Math.floor(k / 3) % 2 } : { ...cloud, region: k % 2 }])) // oxfmt-ignore
const links = {
  access: (peer) => { const { up, down } = at(peer); return { up: up * 1e6, down: down * 1e6 } }, // oxfmt-ignore
  path(from, to) {
    const a = at(from)
    const b = at(to)
    const latency = a.access + b.access + (a.region === b.region ? 0 : between)
    return { latency, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity, pipes: [] }
  }
}
/** The server is on the first peer of the first cloud. */
export const serverOn = peers[homeCount]
const at = (name) => facts.get(name) ?? facts.get(serverOn)

/** An eighth of the peers, homes and clouds alike, compute four times as slowly. */
const slow = Object.fromEntries(peers.filter((_, k) => k % 8 === 3).map((peer) => [peer, 4]))

/**
 * A sixth of the homes, drawn by the seed, fail at random times in the first two seconds: half crash, half freeze for a
 * second and keep their state.
 */
function faultsOf(seed) {
  const random = createRandom(seed, 'homes')
  const drawn = random.shuffle(peers.slice(0, homeCount)).slice(0, homeCount / 6)
  const events = drawn.flatMap((peer, k) => {
    const at = 2000 * random.uniform()
    if (k % 2 === 0) return [{ at, kind: 'crash', peer }]
    return [{ at, kind: 'freeze', peer }, { at: at + 1000, kind: 'thaw', peer }] // oxfmt-ignore
  })
  return { rules: [], events: events.sort((left, right) => left.at - right.at) }
}

/** A step takes 10 ms. With churn, peers wait at most a second for a message; a run takes at most 60 s. */
export const cells = [
  [false, false],
  [true, false],
  [false, true],
  [true, true]
].map(([hasStragglers, hasChurn]) => ({
  // oxfmt-ignore
  name: hasStragglers ? (hasChurn ? 'both' : 'stragglers') : hasChurn ? 'churn' : 'plain',
  hasStragglers,
  hasChurn,
  perStep: 10,
  until: 60_000,
  links,
  slow: hasStragglers ? slow : {},
  ...(hasChurn ? { faultsOf, timeout: 1000 } : {})
}))
