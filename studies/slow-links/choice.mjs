// Which setting and which method of each side is measured in a cell: chosen with the seeds for choosing, never with the
// fresh ones.
import { ratioInterval } from '@murmuration/experiment/sim'
import { bestOf, choosing } from './cells.mjs'

/**
 * A method is tried further while it takes at most so many times as long as the best of its side, with the first seed.
 */
export const hopeless = 1.5
/** The second method of a side is measured too if it takes at most so many times as long as the first. */
const near = 1.15

export const median = (list) => [...list].sort((left, right) => left - right)[(list.length - 1) >> 1]

/** Whether the merged model of a method needs a merge, whose time is added: if its peers differ. */
const isMergedAfter = ({ family, isMerged }, judge) => judge === 'mean' && (family === 'gossip' || isMerged === true)

/**
 * The time of the merge of a method's models in a cell, in ms; 0 for methods whose peers have the same model, and if
 * own models are judged.
 */
export function mergeOf(known, method, cell, judge) {
  return isMergedAfter(method, judge) ? known.get('merge').ms[cell.name] : 0
}

/** The line of a run. That of a method which sends the same on all links was computed for all cells at once. */
export const lineOf = (known, { name }, place, seed, cell) =>
  known.get(`${name} | ${place} | ${seed} | ${cell.name}`) ?? known.get(`${name} | ${place} | ${seed}`)

/**
 * A method's fastest setting in a cell with the first seed, and its median over the seeds for choosing, in ms, with the
 * merge.
 */
function candidateOf(known, method, cell, judge) {
  const [place] = bestOf(known, method.name, cell.name, choosing[0])
  if (place === undefined) return { method, ms: Infinity }
  const ms = choosing.map((seed) => lineOf(known, method, place, seed, cell)?.ms[cell.name] ?? Infinity)
  return { method, place, ms: median(ms) + mergeOf(known, method, cell, judge) }
}

/** What is measured in a cell, see {@link chosenOf}. */
export const chosenIn = (known, methods, cell, judge) =>
  chosenOf(methods.map((method) => candidateOf(known, method, cell, judge)))

/**
 * Of candidates with their medians over the seeds for choosing: of each family the one with the least, and the next one
 * if it is near; the best central method that exchanges, and D-PSGD.
 */
export function chosenOf(candidates) {
  const ranked = candidates.filter(({ ms }) => ms < Infinity).toSorted((left, right) => left.ms - right.ms)
  const front = (family) => {
    const [first, second] = ranked.filter(({ method }) => method.family === family)
    return second !== undefined && second.ms <= near * first.ms ? [first, second] : [first]
  }
  const exchanging = ranked.find(({ method }) => method.family === 'central' && method.isMerged !== true)
  const plain = ranked.find(({ method }) => method.name === 'D-PSGD')
  return { gossip: front('gossip'), central: front('central'), exchanging, plain }
}

/**
 * Which family is faster: the one whose chosen method is faster than all measured ones of the other, with 95 %
 * intervals that exclude a tie.
 */
export function verdictOn(gossips, centrals) {
  const beatsAll = ([one], others) => others.every((other) => ratioInterval(one.ms, other.ms).high < 1)
  return beatsAll(gossips, centrals) ? 'gossip' : beatsAll(centrals, gossips) ? 'central' : 'tie'
}
