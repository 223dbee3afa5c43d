import { graphLabel } from '@murmuration/topology'
import { givenOptions, optionTexts, recordOf, without } from '../../training/algorithm-choice.js'
import type { MethodDescription } from './methods.js'

/** The name in the file, or the algorithm's title with the options that are not defaults: `D-PSGD (per-tensor)`. */
export function methodLabel(method: MethodDescription): string {
  return method.name ?? optionsLabel(method)
}

/**
 * A label for methods that differ only in how they exchange: fused or per tensor, streamed or blocking, in how many
 * chunks, during computing or after it. It is the label that they would have without these options.
 */
export function kindLabel(method: MethodDescription): string {
  const choice = without(method.algorithm, ['fusion', 'calls', 'chunks', 'overlap'])
  return optionsLabel({ ...method, fusion: 'fused', algorithm: choice })
}

function optionsLabel(method: MethodDescription): string {
  const { algorithm, fusion, graph } = method
  const record = recordOf(algorithm)
  const options = [
    ...(graph === undefined ? [] : [graphLabel(graph)]),
    ...optionTexts(record, algorithm),
    ...serverOptions(method),
    ...(fusion === 'fused' ? [] : [fusion]),
    ...trainingOptions(method)
  ]
  return options.length > 0 ? `${record.title} (${options.join(', ')})` : record.title
}

function serverOptions({ servers, on = 'own' }: MethodDescription): string[] {
  const where = on === 'own' ? [] : [on === 'workers' ? 'on the workers' : `on ${on}`]
  const isUsual = servers === undefined || (servers === 1 && on !== 'workers')
  return [...(isUsual ? [] : [`${servers} ${servers === 1 ? 'server' : 'servers'}`]), ...where]
}

function trainingOptions({ batch, codec, optimiser, rate = {} }: MethodDescription): string[] {
  const { initial, warmup, decay, scale } = rate
  return [
    ...(batch === undefined ? [] : [`batch ${batch}`]),
    ...(codec === undefined ? [] : [codec]),
    ...(optimiser === undefined ? [] : [optimiser.name]),
    ...(initial === undefined ? [] : [`rate ${initial}`]),
    ...(warmup === undefined ? [] : [`warm-up ${warmup}`]),
    ...(scale === undefined || scale === 'none' ? [] : [`rate × ${scale}`]),
    ...(decay === undefined ? [] : [typeof decay === 'string' ? `${decay} rate` : `rate × ${decay.factor} at times`])
  ]
}

/** A sentence on a method: its algorithm with all options, and its source. */
export function methodText({ algorithm }: MethodDescription): string {
  const { title, source } = recordOf(algorithm)
  const options = Object.entries(givenOptions(algorithm)).map(
    ([option, value]) => `${option} ${JSON.stringify(value).replaceAll('"', '')}`
  )
  return `${[title, ...options].join(', ')} (${source}).`
}
