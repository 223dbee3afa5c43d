import type { DataDescription, Share, ShareOptions } from './samples.js'

/** What a share of the data is, for people; the part of a task's `about` that all tasks over shares have in common. */
export function aboutShare(share: Share, options: ShareOptions): { readonly data: string; readonly partition: string } {
  const all = share.shardSizes.reduce((sum, size) => sum + size, 0)
  const own = options.self === undefined ? '' : `, ${number(share.train.count)} for this peer`
  return {
    data: `${number(all)} ${subject(options.data, share.train.inputShape)}${own}, ${number(share.test.count)} to test`,
    partition: `${kindOf(options)} for ${options.peers.length} ${options.peers.length === 1 ? 'peer' : 'peers'}${sizes(share)}`
  }
}

function subject(data: DataDescription, inputShape: readonly number[]): string {
  if (data.kind === 'digits') return 'handwritten-like digits 28 × 28'
  const [rows, columns] = inputShape
  return columns === undefined ? `rows of ${rows} numbers` : `pictures ${rows} × ${columns}`
}

function kindOf({ partition }: ShareOptions): string {
  switch (partition.kind) {
    case 'equal':
      return 'shuffled equal parts'
    case 'label':
      return 'equal parts sorted by label'
    case 'dirichlet':
      return `parts by Dirichlet(${partition.alpha})`
  }
}

function sizes({ shardSizes }: Share): string {
  const [least, most] = [Math.min(...shardSizes), Math.max(...shardSizes)]
  return least === most ? `, ${number(least)} samples each` : `, ${number(least)} to ${number(most)} samples each`
}

/** With a comma between thousands, whatever the locale. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
