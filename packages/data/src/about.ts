import type { DataDescription, Samples, SplitOptions } from './samples.js'

/** The facts that descriptions of local data are made from, without the samples. */
export interface LocalDataFacts {
  readonly train: Pick<Samples, 'count' | 'inputShape' | 'classes' | 'preprocessing' | 'remark' | 'unscaled'>
  readonly test: Pick<Samples, 'count'>
  readonly shardSizes: readonly number[]
}

/**
 * A description of the local data, for people; the part of `about` that all tasks over data share. Without `data`, the
 * samples are described as the task's own.
 */
export function describeLocalData(
  localData: LocalDataFacts,
  options: SplitOptions & { readonly data?: DataDescription }
): { readonly data: string; readonly partition: string; readonly unscaled?: string } {
  const unscaled = unscaledIn(localData)
  return { ...aboutDivision(localData, options), ...(unscaled === undefined ? {} : { unscaled }) }
}

function aboutDivision(localData: LocalDataFacts, options: SplitOptions & { readonly data?: DataDescription }) {
  if (options.partition.kind === 'local') return aboutLocal(localData, options.data)
  const all = localData.shardSizes.reduce((sum, size) => sum + size, 0)
  const ofPeer = options.self === undefined ? '' : `, ${grouped(localData.train.count)} for this peer`
  return {
    data: `${grouped(all)} ${subject(options.data, localData)}${ofPeer}, ${grouped(localData.test.count)} to test${remarkOf(localData)}`,
    partition: `${kindOf(options)} for ${options.peers.length} ${options.peers.length === 1 ? 'peer' : 'peers'}${sizes(localData)}`
  }
}

/** Large values in columns of a table, in words. */
function unscaledIn({ train: { unscaled } }: LocalDataFacts): string | undefined {
  const texts = Object.values(unscaled ?? {})
  return texts.length === 0 ? undefined : texts.join('; ')
}

function remarkOf(localData: LocalDataFacts): string {
  const remarks = [localData.train.remark, unscaledIn(localData)].filter((each) => each !== undefined)
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`
}

function aboutLocal(localData: LocalDataFacts, data: DataDescription | undefined) {
  const { train, test } = localData
  return {
    data: `${grouped(train.count)} ${subject(data, localData)}, all this peer's own, ${grouped(test.count)} to test in common${remarkOf(localData)}`,
    partition: "each peer's own data"
  }
}

function subject(data: DataDescription | undefined, { train }: Pick<LocalDataFacts, 'train'>): string {
  const { inputShape, classes = 0, preprocessing } = train
  const isText = preprocessing?.kind === 'text'
  const isScaled = preprocessing?.kind === 'numbers' && preprocessing.scale !== undefined
  const shape = isText
    ? `windows of ${inputShape[0]} characters, ${classes} distinct`
    : `${shaped(inputShape)}${isScaled ? ', scaled' : ''}`
  switch (data?.kind) {
    case undefined:
      return `${shape} of the task's own`
    case 'digits':
      return `handwritten-like digits ${inputShape[0]} × ${inputShape[1]}`
    case 'gaussians':
      return `samples of two normal classes in ${grouped(inputShape[0])} dimensions`
    case 'sentences':
      return `${shape}, of drawn sentences`
    case 'known':
      return `${data.name} ${shape}`
    case 'files':
      return shape
  }
}

function shaped(inputShape: readonly number[]): string {
  switch (inputShape.length) {
    case 0:
      return 'single numbers'
    case 1:
      return `rows of ${inputShape[0]} ${inputShape[0] === 1 ? 'number' : 'numbers'}`
    case 2:
    case 3:
      return `images ${inputShape[0]} × ${inputShape[1]}`
    default:
      return `samples ${inputShape.join(' × ')}`
  }
}

function kindOf({ partition }: SplitOptions): string {
  switch (partition.kind) {
    case 'equal':
      return 'shuffled equal parts'
    case 'label':
      return 'equal parts sorted by label'
    case 'local':
      return "each peer's own data"
    case 'dirichlet':
      return `parts by Dirichlet(${partition.alpha})`
  }
}

function sizes({ shardSizes }: LocalDataFacts): string {
  const smallest = shardSizes.reduce((min, size) => Math.min(min, size), Infinity)
  const largest = shardSizes.reduce((max, size) => Math.max(max, size), 0)
  return smallest === largest
    ? `, ${grouped(smallest)} samples each`
    : `, ${grouped(smallest)} to ${grouped(largest)} samples each`
}

/** A whole number with a comma between thousands, whatever the locale: `101,770`. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
