import type { GraphDescription } from '@murmuration/topology'
import type { ContenderDescription } from './scenario-contenders.js'

const titles: Readonly<Record<Exclude<ContenderDescription['algorithm'], 'all-reduce'>, string>> = {
  'dpsgd': 'D-PSGD',
  'parameter-server': 'parameter server',
  'async-parameter-server': 'asynchronous parameter server',
  'stale-synchronous': 'stale synchronous',
  'local-sgd': 'local SGD',
  'sgd': 'plain SGD'
}

/** The name that the file gives, or the algorithm and what it has otherwise than by default: `D-PSGD (per tensor)`. */
export function contenderLabel(contender: ContenderDescription): string {
  return contender.name ?? optionsLabel(contender)
}

/**
 * What contenders share that differ only in how they exchange: fused or per tensor, streamed or blocking, in how many pieces,
 * while computing or after it. It is the label that they would have without all that.
 */
export function kindLabel(contender: ContenderDescription): string {
  const usual = { fusion: 'fused', calls: 'streamed', pieces: 16, overlap: true } as const
  const same = Object.fromEntries(Object.entries(usual).filter(([option]) => option in contender))
  return optionsLabel({ ...contender, ...same })
}

function optionsLabel(contender: ContenderDescription): string {
  const { algorithm } = contender
  const title = algorithm === 'all-reduce' ? `${contender.collective} all-reduce` : titles[algorithm]
  const options = [...ownOptions(contender), ...sharedOptions(contender)]
  return options.length > 0 ? `${title} (${options.join(', ')})` : title
}

function ownOptions(contender: ContenderDescription): string[] {
  switch (contender.algorithm) {
    case 'dpsgd':
      return [
        ...(contender.graph === undefined ? [] : [graphLabel(contender.graph)]),
        ...(contender.order === 'combine-then-adapt' ? [] : [contender.order]),
        ...(contender.overlap ? [] : ['no overlap'])
      ]
    case 'parameter-server':
    case 'async-parameter-server':
      return serverOptions(contender)
    case 'stale-synchronous':
      return [`staleness ${contender.staleness}`, ...serverOptions(contender)]
    case 'local-sgd':
      return [`period ${contender.period}`, ...(contender.collective === 'ring' ? [] : [contender.collective])]
    case 'all-reduce':
    case 'sgd':
      return []
  }
}

function serverOptions({ servers, on }: { readonly servers?: number | undefined; readonly on: string }): string[] {
  const where = on === 'own' ? [] : [on === 'workers' ? 'on the workers' : `on ${on}`]
  const isUsual = servers === undefined || (servers === 1 && on !== 'workers')
  return [...(isUsual ? [] : [`${servers} ${servers === 1 ? 'server' : 'servers'}`]), ...where]
}

function sharedOptions(contender: ContenderDescription): string[] {
  const { batch, rate = {} } = contender
  const calls = 'calls' in contender && contender.calls === 'blocking' ? ['blocking'] : []
  const fusion = 'fusion' in contender && contender.fusion === 'per-tensor' ? ['per tensor'] : []
  const pieces = 'pieces' in contender && contender.pieces !== 16 ? [`pieces ${contender.pieces}`] : []
  const { initial, warmup, decay, scale } = rate
  return [
    ...calls,
    ...fusion,
    ...pieces,
    ...(batch === undefined ? [] : [`batch ${batch}`]),
    ...(initial === undefined ? [] : [`rate ${initial}`]),
    ...(warmup === undefined ? [] : [`warm-up ${warmup}`]),
    ...(scale === undefined || scale === 'none' ? [] : [`rate × ${scale}`]),
    ...(decay === undefined ? [] : [typeof decay === 'string' ? `${decay} rate` : `rate × ${decay.factor} at times`])
  ]
}

/** A name for tables and axes: `random-regular (degree 4, seed 1)`. */
export function graphLabel({ kind, ...options }: GraphDescription): string {
  const shown = Object.entries(options).flatMap(([name, value]) => {
    if (typeof value === 'number') return [`${name} ${value}`]
    return Array.isArray(value) ? [String(value.length)] : []
  })
  return shown.length > 0 ? `${kind} (${shown.join(', ')})` : kind
}
