import type { Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { SplitTriples, Triples } from './files/triples.js'

/** The parameters of a random graph. */
export interface GraphOptions {
  readonly entities: number
  /**
   * The number of rules of each kind: a symmetric relation, a pair of inverse ones, and three of which one is the
   * composition of the others.
   */
  readonly rules: number
  readonly seed: number
}

/** The mean number of triples of a random relation that begin with an entity. */
const degree = 3
/** The fraction of the implied triples that is not shown in training. */
const testFraction = 0.2

type Triple = readonly [head: number, relation: number, tail: number]

/**
 * A knowledge graph that obeys known rules. Of each rule number k, relation
 *
 * - 6k is symmetric: (x, y) and (y, x);
 * - 6k + 1 and 6k + 2 are inverse: (x, y) of one, (y, x) of the other;
 * - 6k + 5 is composed of the two before it: each entity is in a place (6k + 3), each place in a region (6k + 4), so
 *   each entity in a region.
 *
 * Of the implied triples (one of two symmetric ones, those of the second inverse and of the composed relation) a fifth
 * is held back, half for validation and half for testing. So every tested triple follows from the training triples;
 * nothing else could be learned.
 */
export function drawGraph({ entities, rules, seed }: GraphOptions): SplitTriples {
  const random = createRandom(seed, 'graph')
  const parts: Record<'train' | 'valid' | 'test', Triple[]> = { train: [], valid: [], test: [] }
  const testDraws = random.stream('held back')
  const add = (premises: readonly Triple[], implied: Triple) => {
    const draw = testDraws.uniform() / testFraction
    parts.train.push(...premises)
    parts[draw < 0.5 ? 'test' : draw < 1 ? 'valid' : 'train'].push(implied)
  }
  for (let rule = 0; rule < rules; rule++) {
    const ruleDraws = random.stream(`rule ${rule}`)
    const first = 6 * rule
    for (const [x, y] of pairs(entities, Math.ceil(degree / 2), ruleDraws, true)) add([[x, first, y]], [y, first, x])
    for (const [x, y] of pairs(entities, degree, ruleDraws, false)) add([[x, first + 1, y]], [y, first + 2, x])
    const places = Math.ceil(entities / 10)
    const regionOf = Array.from({ length: places }, () => ruleDraws.integer(Math.ceil(places / 5)))
    for (const [place, region] of regionOf.entries()) parts.train.push([place, first + 4, region])
    for (let x = 0; x < entities; x++) {
      const place = ruleDraws.integer(places)
      add([[x, first + 3, place]], [x, first + 5, regionOf[place]])
    }
  }
  const [train, valid, test] = [parts.train, parts.valid, parts.test].map(columnsOf)
  return { entities, relations: 6 * rules, train, valid, test }
}

/**
 * Distinct pairs of different entities, `each` for every first one; with `unordered`, only one of two mirrored pairs.
 */
function pairs(entities: number, perEntity: number, random: Random, unordered: boolean): (readonly [number, number])[] {
  const seen = new Set<number>()
  const drawn: (readonly [number, number])[] = []
  for (let x = 0; x < entities; x++)
    for (let n = 0; n < perEntity; n++) {
      const y = random.integer(entities)
      const isKnown = seen.has(x * entities + y) || (unordered && seen.has(y * entities + x))
      if (x === y || isKnown) continue
      seen.add(x * entities + y)
      drawn.push([x, y])
    }
  return drawn
}

function columnsOf(triples: readonly Triple[]): Triples {
  const [head, relation, tail] = [0, 1, 2].map((column) => Uint32Array.from(triples, (triple) => triple[column]))
  return { head, relation, tail }
}
