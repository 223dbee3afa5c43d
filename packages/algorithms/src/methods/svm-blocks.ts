/**
 * A support vector machine with a kernel, in the dual, trained by blocks of samples. In a round every peer sends those
 * of its samples that violate the optimality conditions most. All solve the same small problem on them, without
 * messages, and update f of their own samples: decomposition, as in SVM-light. With `block: 2` it is sequential minimal
 * optimisation on the most violating pair of all peers, and with `eliminate` the algorithm of Narasimhan et al.:
 * samples that will probably stay at their bound are left out, and before the end their f is computed anew from the
 * support vectors of all peers. Of the paper only the abstract and the authors' code were read. The end follows from
 * exchanged numbers alone, so that all peers reach it in the same round. A new epoch begins with all α 0: the samples
 * of a lost peer are lost, and without their α, Σ α y would not be 0.
 */
import { algorithm } from '@murmuration/engine'
import * as z from 'zod'
import { biasOf, extremesOf, pairOf } from '../parts/dual-blocks.js'
import { blockFor, blockProblem, dualOptions, intervalOf, isAgain } from '../parts/dual-options.js'
import { eliminate, exchangeSamples, reconstruct, samplesOf, solveBlock } from '../parts/dual-rounds.js'
import { DualNumbers, type DualState, dualStart } from '../parts/dual-state.js'

export const svmBlocks = algorithm({
  name: 'svm-blocks',
  title: 'SVM blocks',
  source: 'Narasimhan, Vishnu, Holder, Hoisie, arXiv 1406.5161 (only the abstract and the authors’ code were read)',
  options: z.strictObject(dualOptions),
  needs: { reach: 'everyone', delivery: 'reliable', members: 'fixed', links: 'exact', kernel: true },
  keeps: 'equality',
  refuses: ({ block }, workers) => blockProblem(block, workers),
  channels: { best: { part: 'samples' }, support: { part: 'samples' } },
  start: ({ zero }, node): DualState => dualStart(zero, node, intervalOf(node.options.eliminate, zero.length - 1)),
  done: ({ isOptimal }) => isOptimal === 1,
  async round(node, state: DualState, k) {
    const { tau, eliminate: how } = node.options
    const block = blockFor(node.options.block, node.peers().length)
    const dual = new DualNumbers(state, node)
    const sending = { round: k, x: state.x }
    const { samples, active } = await exchangeSamples(node, dual, block, sending)
    const extremes = extremesOf(samples, node.kernel.c)
    dual.bias = biasOf(extremes)
    if (extremes.gap <= 2 * tau) {
      if (active === samplesOf(node)) return dual.next({ ...state, isOptimal: 1 })
      await reconstruct(node, dual, sending)
      return dual.next({ since: 0, until: isAgain(how) ? state.until : 0, isOptimal: 0 })
    }
    await solveBlock(node, dual, block === 2 ? pairOf(extremes) : samples, Math.max(tau / 5, extremes.gap / 100))
    const since = state.since + 1
    if (state.until === 0 || since < state.until) return dual.next({ since, until: state.until, isOptimal: 0 })
    eliminate(dual, extremes)
    return dual.next({ since: 0, until: intervalOf(how, dual.coefficients.length, active), isOptimal: 0 })
  }
})
