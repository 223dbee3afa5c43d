/**
 * CS+: ClippedGossip with another radius τ, which does not depend on what malicious peers send. With b the weight of
 * the neighbours that may be malicious, τ is the largest distance (the peer's own is 0) such that all vectors within it
 * weigh at most 1 − 2 b. The rule is from the authors' code as described by others; ρ is 1.
 */
import * as z from 'zod'
import { addClipped, radiusWithin } from '../parts/robust.js'
import { algorithm } from '@murmuration/engine'

export const csPlus = algorithm({
  name: 'cs-plus',
  title: 'CS+',
  source: 'Gaucher et al., ICML 2025 (only what others say of it was read)',
  options: z.strictObject({
    b: z.int().min(0).default(1).meta({ description: 'How many neighbours may send wrong numbers' })
  }),
  needs: { weights: 'rows' },
  keeps: 'nothing',
  neighbours: ({ b }) => 2 * b + 1,
  channels: { model: { x: 'vector' } },
  edges: { model: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const half = node.step(x, await node.gradient(x))
    node.model.send(W, { x: half })
    return { x: addClipped(W, half, await node.model.collect(W), (all) => radiusWithin(node.options.b, W.own, all)) }
  }
})
