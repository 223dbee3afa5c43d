/** Optimisers: state in, state out. The node keeps their states and saves them with its own. */
import { pow, InputError } from '@murmuration/core'
import * as z from 'zod'
import { map } from '../vectors/operations.js'
import { linear } from '../vectors/vector.js'
import type { Optimiser, OptimiserSettings, State } from '../record/record.js'

/** Checks the types of an optimiser, and keeps those of its options. */
const optimiser = <Z extends z.ZodObject, S extends State>(record: Optimiser<Z, S>) => record as unknown as Optimiser<Z>

const rate = z.number().positive().optional().meta({ description: "Replaces the run's rate" })
const decay = z
  .number()
  .min(0)
  .default(0)
  .meta({ description: 'Decoupled weight decay λ: a step subtracts rate · λ · parameters' })
const betas = z.tuple([z.number().min(0).lt(1), z.number().min(0).lt(1)]).default([0.9, 0.999])
const epsilon = z.number().positive().default(1e-8)

/** The state of an optimiser that has none. */
const stateless: State = {}

/** `v ← μ v + g`, `x ← base − γ v`; with Nesterov `x ← base − γ (g + μ v)`. Without momentum there is no v. */
export const sgd = optimiser({
  name: 'sgd',
  source: 'Sutskever et al., ICML 2013, in the form of PyTorch and TensorFlow',
  options: z.strictObject({
    name: z.literal('sgd'),
    momentum: z.number().min(0).lt(1).default(0),
    nesterov: z.boolean().default(false),
    rate
  }),
  start: ({ momentum }, x): State => (momentum === 0 ? stateless : { v: linear([0, x]) }),
  step({ momentum: μ, nesterov, rate: own }, state, base, g, rate) {
    const γ = own ?? rate
    if (μ === 0) return { x: linear([1, base], [-γ, g]), state }
    const v = linear([μ, state.v as typeof g], [1, g])
    const x = nesterov ? linear([1, base], [-γ, g], [-γ * μ, v]) : linear([1, base], [-γ, v])
    return { x, state: { v } }
  }
})

/** Adam with decoupled decay λ: `x ← (1 − γ λ) base − γ m̂ / (√v̂ + ε)`, with `m̂ = m / (1 − β₁ᵗ)` and `v̂` alike. */
export const adamw = optimiser({
  name: 'adamw',
  source: 'Loshchilov and Hutter, ICLR 2019, Algorithm 2',
  options: z.strictObject({ name: z.literal('adamw'), betas, epsilon, decay: decay.default(0.01), rate }),
  start: (_, x) => ({ m: linear([0, x]), v: linear([0, x]), t: 0 }),
  step({ betas: [β1, β2], epsilon: ε, decay: λ, rate: own }, state, base, g, rate) {
    const γ = own ?? rate
    const t = state.t + 1
    const m = linear([β1, state.m], [1 - β1, g])
    const v = map((v, g) => β2 * v + (1 - β2) * g * g, state.v, g)
    const c1 = 1 - pow(β1, t)
    const c2 = 1 - pow(β2, t)
    const x = map((x, m, v) => (1 - γ * λ) * x - (γ * (m / c1)) / (Math.sqrt(v / c2) + ε), base, m, v)
    return { x, state: { m, v, t } }
  }
})

/** {@link adamw} without decay. */
export const adam = {
  ...adamw,
  name: 'adam',
  source: 'Kingma and Ba, ICLR 2015, Algorithm 1',
  options: z.strictObject({ name: z.literal('adam'), betas, epsilon, decay: z.literal(0).default(0), rate })
}

/** All optimisers. */
export const optimisers: readonly Optimiser[] = [sgd, adam, adamw]

/** The schema of `optimiser:` in a file. */
export const optimiserSettings = z.discriminatedUnion('name', [sgd.options, adam.options, adamw.options])

/** The optimiser that `settings` name, and its options with their defaults. */
export function optimiserOf(settings: OptimiserSettings): Chosen {
  const cached = chosen.get(settings)
  if (cached !== undefined) return cached
  const found = choose(settings)
  chosen.set(settings, found)
  return found
}

type Chosen = readonly [Optimiser, z.output<z.ZodObject>]

/** Parsed once, since every round takes a step. */
const chosen = new WeakMap<OptimiserSettings, Chosen>()

function choose(settings: OptimiserSettings): Chosen {
  const found = optimisers.find(({ name }) => name === settings.name)
  if (found === undefined) {
    throw new InputError(`optimiser "${settings.name}": expected ${optimisers.map(({ name }) => name).join(', ')}`)
  }
  return [found, found.options.parse(settings)]
}
