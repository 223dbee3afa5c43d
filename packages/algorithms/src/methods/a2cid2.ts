/**
 * A²CiD²: AD-PSGD's pairwise averaging, accelerated. Each peer has a second copy x̃ of its parameters, and both copies
 * mix continuously: after τ steps the difference x̃ − x is e^(−2ητ) of what it was, and x + x̃ is unchanged. A meeting
 * moves x by half of the difference d = x_j − x_i, as in AD-PSGD, and x̃ by α̃ d. The state holds z = x̃ − 2α̃ x in
 * place of x̃: no meeting changes z, so a reply moves x alone, whenever it arrives. Time is counted in a peer's steps.
 * A peer mixes at the end of each step, so it sends mixed parameters (the authors' code sends before mixing). Σ (x +
 * x̃) changes by the steps alone, whatever the paces; so does Σ x where all peers have taken equally many steps. η = 1
 * / (2 √(χ₁χ₂)) and α̃ = √(χ₁/χ₂) / 2 follow from the graph (meetings.ts), with 2 χ₂ for χ₂, since meetings overlap:
 * while a peer awaits a reply, other peers move both ends. In lockstep a ring of 32 diverges with χ₂, and agrees to
 * 10⁻⁶ in 189 steps with 2 χ₂ (AD-PSGD: 789); where few meetings overlap, in 118 in place of 107
 * (studies/accelerated-pairs.mjs). With η = 0 and α̃ = ½ it is AD-PSGD. The rule and the constants are from the
 * authors' code; of the paper the abstract was read.
 */
import { exp, InputError } from '@murmuration/core'
import * as z from 'zod'
import { constantsOn } from '../parts/meetings.js'
import { algorithm, linear, type Vector } from '@murmuration/engine'

const ofGraph = (number: z.ZodNumber) => z.union([z.literal('graph'), number]).default('graph')

export const a2cid2 = algorithm({
  name: 'a2cid2',
  title: 'A²CiD²',
  source: 'Nabli et al., NeurIPS 2023, arXiv 2306.08289 (only the abstract and the authors’ code were read)',
  options: z.strictObject({
    mixing: ofGraph(z.number().min(0)).meta({
      description: 'η, how fast both copies mix; by default from the graph'
    }),
    pull: ofGraph(z.number().positive()).meta({ description: 'α̃ of the second copy; by default from the graph' })
  }),
  fromGraph: constantsOn,
  needs: { weights: 'symmetric' },
  keeps: 'nothing',
  channels: { swap: { ask: { x: 'vector' }, reply: { x: 'vector' } } },
  edges: { swap: 0.5 },
  start: ({ x }, { options }): { x: Vector; z: Vector } => ({ x, z: linear([1 - 2 * constants(options).α, x]) }),
  async round(node, { x: sent }, k) {
    const { η, α } = constants(node.options)
    const m = (1 - exp(-2 * η)) / 2
    const gradient = node.gradient(sent)
    const { to } = node.mixing(k)
    const j = to.length > 0 ? to[node.random('partner', k).integer(to.length)] : undefined
    const theirs = j && (await node.swap.request(j, { x: sent }))
    if (theirs) node.change(({ x, z }) => ({ x: linear([1, x], [0.5, theirs.x], [-0.5, sent]), z }))
    const g = await gradient
    node.change(({ x, z }) => {
      const mixed = linear([1 - m + 2 * m * α, x], [m, z]) //                       x + m (x̃ − x), with x̃ = z + 2α̃ x
      const next = node.step(mixed, g)
      const still = linear([1 - m - 2 * m * α, z], [m - 4 * m * α ** 2, x]) //      z − m (1 + 2α̃) (x̃ − x)
      return { x: next, z: linear([1, still], [1 - 2 * α, next], [2 * α - 1, mixed]) } // x̃ takes the same step
    })
  },
  answers: {
    swap: (_node, { x, z }, theirs) => ({ state: { x: linear([0.5, x], [0.5, theirs.x]), z }, reply: { x } })
  }
})

function constants({ mixing: η, pull: α }: Readonly<Record<'mixing' | 'pull', number | 'graph'>>) {
  if (η !== 'graph' && α !== 'graph') return { η, α }
  throw new InputError(
    'a2cid2 takes mixing and pull from the graph: give the options that optionsOn(a2cid2, topology) returns'
  )
}
