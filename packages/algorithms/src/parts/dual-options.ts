/** How a support vector machine is trained by blocks. */
import * as z from 'zod'

/** The most samples of a small problem: each peer computes the kernel of all their pairs. */
const maxBlock = 512

type BlockOption = number | 'auto'

/** How many samples each peer sends. */
export function blockFor(block: BlockOption, peers: number): number {
  return block === 'auto' ? Math.max(2, Math.min(64, Math.floor(maxBlock / peers))) : block
}

/** Why blocks of so many samples of each peer are refused, if they are. Of pairs only one is solved. */
export function blockProblem(block: BlockOption, peers: number): string | undefined {
  if (block === 'auto' || block === 2 || block * peers <= maxBlock) return undefined
  return `found block: ${block}, which is ${block * peers} samples of ${peers} peers, expected at most ${maxBlock} in all; leave it out, or choose ${blockFor('auto', peers)}`
}

/** When samples are eliminated. */
const eliminationOptions = z.strictObject({
  first: z.number().gt(0),
  again: z.enum(['multi', 'single']).default('multi')
})
type Elimination = z.output<typeof eliminationOptions> | 'never'

/** The options of svm-blocks. */
export const dualOptions = {
  block: z
    .union([z.literal('auto'), z.int().min(2).max(512)])
    .default('auto')
    .meta({
      description:
        'Samples that each peer sends, 2 for the most violating pair of all; auto: 512 by the peers, at most 64'
    }),
  tau: z.number().gt(0).max(1).default(0.0005).meta({
    description: 'The end is where optimality is violated by at most 2 τ, which LIBSVM calls the tolerance'
  }),
  eliminate: z
    .union([z.literal('never'), eliminationOptions])
    .default('never')
    .meta({
      description:
        'Leave out samples that stay at a bound: { first: 0.05, again: multi }, after 5 % as many rounds as samples; again: single for not after a reconstruction'
    })
}

/** After how many rounds, at most as many as samples are `active`; 0 for never. A `first` below 1 counts samples. */
export function intervalOf(how: Elimination, samples: number, active = samples): number {
  if (how === 'never') return 0
  const rounds = how.first < 1 ? Math.round(how.first * samples) : Math.floor(how.first)
  return Math.max(1, Math.min(rounds, active))
}

/** Whether samples are eliminated after a reconstruction, too. */
export function isAgain(how: Elimination): boolean {
  return how !== 'never' && how.again === 'multi'
}
