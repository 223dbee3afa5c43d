/** More than two: a ring, in which each process exchanges with two, and a star, in which one exchanges with eight. */
import { neighbourKinds } from '../kinds/index.mjs'
import { ring, star } from '../shapes.mjs'
import { exchange, measureShape } from './exchange.mjs'

function suiteOf(title, shape) {
  return {
    ...exchange,
    title,
    kinds: neighbourKinds,
    run: ({ kinds, repeats, quick, say }) =>
      measureShape({ kinds, megabytes: quick ? 2.5 : 25, shape, repeats, keep: quick, say })
  }
}

export const ringOfFour = suiteOf('A ring of 4 processes, each exchanges with 2', ring(4))

export const starOfEight = suiteOf('One process exchanges with 8 others', star(8))
