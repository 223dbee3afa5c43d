// What is measured with fresh seeds in the map of 64 peers: chosen as in choice.mjs, with the seeds for choosing.
import { bestOf, choosing } from './cells.mjs'
import { chosenOf, median } from './choice.mjs'
import { methods } from './homes-methods.mjs'

/** The cell in which a method is tuned. */
export const tunedIn = ({ hasStragglers }) => (hasStragglers ? 'stragglers' : 'plain')

/** The time of a method's merge, in ms: through a server, for methods whose peers differ. */
export function mergeInHomes(known, { family, isMerged }) {
  return family === 'gossip' || isMerged ? known.get('merge | parameter server, int8').merge : 0
}

function candidateOf(known, method, cell) {
  const [place] = bestOf(known, method.name, tunedIn(cell), choosing[0])
  if (place === undefined) return { method, ms: Infinity }
  const ms = choosing.map((seed) => known.get(`${method.name} | ${place} | ${seed} | ${cell.name}`)?.ms[cell.name] ?? Infinity) // oxfmt-ignore
  return { method, place, ms: median(ms) + mergeInHomes(known, method) }
}

/**
 * The two best of each family as in choice.mjs, and the best central method without a server, if any reaches the
 * target.
 */
export function chosenInHomes(known, cell) {
  const candidates = methods.map((method) => candidateOf(known, method, cell))
  const isServerless = ({ method, place }) => method.family === 'central' && method.configs[place]?.server === undefined
  const { exchanging } = chosenOf(candidates.filter((one) => one.ms < Infinity && isServerless(one)))
  return { ...chosenOf(candidates), serverless: exchanging === undefined ? [] : [exchanging] }
}
