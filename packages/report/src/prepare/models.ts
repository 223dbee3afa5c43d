/** Which runs ended with the same parameters. */
import type { Results, RunRecord } from '@murmuration/results'

/** Compares every real run with each simulation of its method, settings and seed. Empty if there is no such pair. */
export function sameModelSentences({ sweep, runs }: Results): string[] {
  const originalLabels = new Map(sweep.methods.map(({ label, originalLabel = label }) => [label, originalLabel]))
  const keyOf = ({ method, seed, settings }: RunRecord) => JSON.stringify([originalLabels.get(method), seed, settings])
  const whole = runs.filter(({ outcome, models = {} }) => outcome === 'limit' && Object.keys(models).length > 0)
  const simulated = whole.filter(({ world }) => world === 'simulator')
  return whole
    .filter(({ world }) => world === 'libp2p')
    .flatMap((real) =>
      simulated.filter((other) => keyOf(other) === keyOf(real)).map((other) => comparison(real, other))
    )
}

function comparison(real: RunRecord, simulated: RunRecord): string {
  const ones = real.models ?? {}
  const others = simulated.models ?? {}
  const peers = Object.keys(ones)
  const same = peers.filter((peer) => ones[peer] === others[peer]).length
  const pair = `“${real.method}” and “${simulated.method}”`
  if (same === peers.length) return `${pair} ended with the same parameters, bit for bit, on ${peersText(same)}.`
  return `${pair} ended with different parameters on ${peers.length - same} of ${peersText(peers.length)}.`
}

const peersText = (count: number) => (count === 1 ? '1 peer' : `${count} peers`)
