/** The table of the chosen setting. */
import type { Case, MethodOutcome, PageData, Spread } from '../shared/page-data.js'
import { bytesText, countText, percentText, rangeText, secondsText, short } from '../shared/units.js'
import { caseText, verdictIn } from '../shared/verdicts.js'
import { isRanked } from '../shared/world-words.js'
import { element, withDetail } from './elements.js'
import type { PageStore } from './store.js'

type FigureCell = readonly [text: string, detail: string]

interface FigureColumn {
  readonly title: string
  readonly detail: string
  readonly cell: (entry: MethodOutcome) => FigureCell
}

const nothing: FigureCell = ['–', '']

export function mountFigures(store: PageStore, part: HTMLElement): void {
  const host = element('div', { class: 'scroll' })
  part.append(host)
  store.listen(['places'], () => host.replaceChildren(...figureTable(store)))
}

/** The median, and in small letters the minimum and the maximum, then the mean and the deviation. */
function spread(of: Spread, text: (value: number) => string, missing = 'never'): FigureCell {
  const { middle, low, high, mean, deviation } = of
  const part = (value: number | null) => (value === null ? missing : text(value))
  const least = part(low)
  const most = part(high)
  if (least === most) return [part(middle), '']
  const range = rangeText(least, most)
  if (mean === undefined || deviation === undefined) return [part(middle), range]
  return [part(middle), `${range}\n${text(mean)} ± ${text(deviation)}`]
}

const targetColumns: readonly FigureColumn[] = [
  { title: 'time to target', detail: 'until the loss is reached', cell: reachedCell },
  {
    title: 'samples to target',
    detail: 'of all peers',
    cell: ({ measures }) => spread(measures.samplesToTarget, countText)
  }
]

/** @param isOfPeers - whether the figures of each run belong to a single peer */
const columnsOf = (isOfPeers: boolean): readonly FigureColumn[] => [
  {
    title: 'time per round',
    detail: isOfPeers ? 'a step of the peer' : 'a step of every peer',
    cell: ({ measures, failures }) =>
      spread(measures.secondsPerRound, secondsText, failures.length > 0 ? 'failed' : 'no round')
  },
  {
    title: 'bytes',
    detail: isOfPeers ? 'sent by the peer' : 'sent by all',
    cell: ({ bytesSent }) => spread(bytesSent, bytesText, '–')
  },
  {
    title: 'busiest machine',
    detail: 'sent and received',
    cell: ({ busiest }) => (busiest === undefined ? nothing : [spread(busiest.bytes, bytesText, '–')[0], busiest.name])
  },
  {
    title: 'payload',
    detail: 'fraction of bytes',
    cell: ({ payloadFraction }) => (payloadFraction === null ? nothing : [percentText(payloadFraction), ''])
  },
  {
    title: 'final loss',
    detail: isOfPeers ? 'of its own model' : 'of the mean',
    cell: ({ finalLoss }) => spread(finalLoss, short, 'no number')
  },
  ...(isOfPeers ? [] : [worstColumn])
]

const worstColumn: FigureColumn = {
  title: 'worst peer',
  detail: 'final loss',
  cell: ({ finalWorstLoss }) => (finalWorstLoss === undefined ? nothing : spread(finalWorstLoss, short, 'no number'))
}

function reachedCell({ measures, reached, runs }: MethodOutcome): FigureCell {
  const [text, range] = spread(measures.secondsToTarget, secondsText)
  return [text, reached === runs ? range : `${reached} of ${runs} runs arrive`]
}

function figureTable({ data, chosen }: PageStore): readonly HTMLElement[] {
  if (chosen === undefined) return []
  const columns = columnsOf(data.peers.length > 0)
  const shown = data.targetLoss === undefined ? columns : [...targetColumns, ...columns]
  const head = shown.map(({ title, detail }) => element('th', { scope: 'col' }, ...withDetail(title, detail)))
  const verdict = verdictIn(data, chosen, data.measures[0])
  const rows = data.methods.flatMap((label, method) => {
    const entry = chosen.entries[method]
    if (entry === null) return []
    const best = isRanked(data) && verdict.kind !== 'none' && verdict.winner === method
    const cells = shown.map(({ cell }, index) =>
      element('td', best && index === 0 ? { class: 'best' } : {}, ...withDetail(...cell(entry)))
    )
    return [element('tr', {}, element('th', { scope: 'row' }, label), ...cells)]
  })
  const caption = `${data.methods.length === 1 ? 'The method' : 'All methods'} at ${caseText(data, chosen)}. ${data.seeds === 1 ? 'One seed.' : 'Large: the median over the seeds; small: the minimum and the maximum, and the mean ± the standard deviation.'}`
  const table = element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'method'), ...head)),
    element('tbody', {}, ...rows)
  )
  return [
    table,
    ...remarks('Runs that failed', data, chosen, ({ failures }) => failures),
    ...remarks('Runs that are not finished', data, chosen, ({ unfinished }) => unfinished)
  ]
}

/** A list under a heading; nothing if the list is empty. */
function remarks(
  heading: string,
  { methods }: PageData,
  { entries }: Case,
  of: (entry: MethodOutcome) => readonly string[]
): readonly HTMLElement[] {
  const items = entries.flatMap((entry, method) =>
    (entry === null ? [] : of(entry)).map((text) => element('li', {}, `${methods[method]}, ${text}`))
  )
  return items.length === 0 ? [] : [element('p', { class: 'wrong' }, heading), element('ul', {}, ...items)]
}
