/**
 * DCD-PSGD, Algorithm 1: the difference of a round is compressed. All peers apply the same compressed difference, so
 * that x̂_j = x_j. C should be unbiased. With strong compression it diverges, since it does not compensate for the
 * error that compression adds.
 */
import * as z from 'zod'
import { compress, compressorSettings } from '../parts/compressors.js'
import { added, copiesOf, mixCopies } from '../parts/copies.js'
import { algorithm, linear, valueOf } from '@murmuration/engine'

export const dcdPsgd = algorithm({
  name: 'dcd-psgd',
  title: 'DCD-PSGD',
  source: 'Tang et al., NeurIPS 2018, arXiv 1803.06443',
  options: z.strictObject({
    compressor: compressorSettings
      .prefault({ name: 'qsgd', levels: 127, unbiased: true })
      .meta({ description: 'How a difference is compressed before it is sent' })
  }),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { changes: { q: 'packed' } },
  start: ({ x }) => ({ x, copies: copiesOf(x) }),
  async round(node, { x, copies }, k) {
    const W = node.mixing(k)
    const half = node.step(mixCopies(W, copies), await node.gradient(x)) //                x_i^{t+½} = Σ_j W_ij x̂_j − γ g_i
    const z = linear([1, half], [-1, x]) //                                                z_i = x_i^{t+½} − x_i
    const q = compress(node.options.compressor, z, node, 'compress', k)
    node.changes.send(W, { q })
    const theirs = await node.changes.collect(W)
    const next = added(W, copies, q, (j) => valueOf(theirs, j).q) //                      x̂_j ← x̂_j + C(z_j)
    return { x: next.own, copies: next }
  }
})
