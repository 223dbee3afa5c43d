/**
 * DeepSqueeze, Algorithm 1: the whole model is compressed. The compression error is added to the next model before that
 * is compressed. It keeps no copies of neighbours, so the graph may change. δ: the error; η: the consensus step,
 * smaller for stronger compression; γ: the rate.
 */
import * as z from 'zod'
import { compress, compressorSettings } from '../parts/compressors.js'
import { algorithm, linear, mix } from '@murmuration/engine'

export const deepSqueeze = algorithm({
  name: 'deepsqueeze',
  title: 'DeepSqueeze',
  source: 'Tang et al. 2019, arXiv 1907.07346',
  options: z.strictObject({
    compressor: compressorSettings
      .prefault({ name: 'top-k' })
      .meta({ description: 'How a model is compressed before it is sent' }),
    consensus: z
      .number()
      .gt(0)
      .max(1)
      .default(0.005)
      .meta({ description: 'η, how far a round moves towards what the neighbours sent' })
  }),
  needs: { weights: 'symmetric', delivery: 'reliable' },
  keeps: 'mean',
  channels: { squeezed: { c: 'packed' } },
  start: ({ x, zero }) => ({ x, δ: zero }),
  async round(node, { x, δ }, k) {
    const { compressor, consensus: η } = node.options
    const W = node.mixing(k)
    const half = node.step(x, await node.gradient(x)) //                       x_i − γ g_i
    const v = linear([1, half], [1, δ]) //                                     v_i = x_i − γ g_i + δ_i
    const c = compress(compressor, v, node, 'compress', k) //                  C(v_i)
    node.squeezed.send(W, { c })
    const mixed = mix(W, { c }, await node.squeezed.collect(W))
    return { x: linear([1, half], [η, mixed.c], [-η, c]), δ: linear([1, v], [-1, c]) } // x_i ← x_i − γ g_i + η Σ_j (W_ij − 1[i = j]) C(v_j)
  }
})
