/** Curves of the chosen setting: the median over the seeds, and the band between the minimum and the maximum. */
import type { PageData } from '../shared/page-data.js'
import { bytesText, countText, percentText, secondsText, short } from '../shared/units.js'
import { caseText } from '../shared/verdicts.js'
import { modelWord, timeWord } from '../shared/world-words.js'
import { lineLegend } from './method-style.js'
import { curveChart, type ChartPlan, pointsOf } from './curve-chart.js'
import { element, figure, widthInRow } from './elements.js'
import { checkBox, pickers } from './pickers.js'
import type { PageStore } from './store.js'

const plansOf = (data: PageData): readonly ChartPlan[] => [
  {
    key: 'lossBySeconds',
    title: 'Loss against time',
    x: timeWord(data),
    xText: secondsText,
    epochs: ({ seconds }) => seconds,
    y: 'loss',
    yText: short,
    reading: 'Further left is faster: the same loss in less time.'
  },
  {
    key: 'lossByBytes',
    title: 'Loss against bytes',
    x: data.peers.length > 0 ? 'sent' : 'sent by all together',
    xText: bytesText,
    y: 'loss',
    yText: short,
    reading: 'Further left costs less where traffic is paid for. Payload and headers.'
  },
  {
    key: 'lossBySamples',
    title: 'Loss against samples',
    x: data.peers.length > 0 ? 'samples' : 'samples of all peers together',
    xText: countText,
    y: 'loss',
    yText: short,
    reading: 'How well an algorithm uses its samples, independent of the links.'
  },
  {
    key: 'distanceByRounds',
    title: 'Consensus distance',
    x: 'rounds (steps per peer)',
    xText: countText,
    epochs: ({ round }) => round,
    y: 'consensus distance',
    yText: short,
    reading: 'How far the peers’ parameters are from their mean (root mean square); 0 if all are equal.'
  },
  {
    key: 'accuracyBySeconds',
    title: 'Accuracy against time',
    x: timeWord(data),
    xText: secondsText,
    epochs: ({ seconds }) => seconds,
    y: 'accuracy',
    yText: percentText,
    reading: `Of ${modelWord(data)}, on the test set. Further left is faster.`
  },
  {
    key: 'perplexityBySamples',
    title: 'Perplexity against samples',
    x: data.peers.length > 0 ? 'samples' : 'samples of all peers together',
    xText: countText,
    y: 'perplexity',
    yText: short,
    reading: `e to the loss of ${modelWord(data)}, on the end of the text: the number of equally probable characters among which the next one would be as hard to predict.`
  },
  {
    key: 'gapByRounds',
    title: 'Duality gap',
    x: 'rounds (steps per peer)',
    xText: countText,
    epochs: ({ round }) => round,
    y: 'duality gap',
    yText: short,
    reading: 'The training loss of the mean model is at most so far above its minimum.'
  }
]

export function mountCurves(store: PageStore, part: HTMLElement): void {
  const host = element('div', { class: 'row' })
  const caption = element('p', { class: 'caption' }, captionOf(store.data))
  part.append(pickers(checkBox(store, 'logarithmic scales where useful', 'logarithmic')))
  part.append(lineLegend(store.data.methods), host, caption)
  store.listen(['places', 'logarithmic'], () => {
    const { chosen } = store
    const width = widthInRow(host)
    host.replaceChildren(
      ...plansOf(store.data).flatMap((plan) => {
        const points = chosen === undefined ? [] : pointsOf(chosen, plan.key)
        if (chosen === undefined || points.length === 0) return []
        const label = `${plan.title} of each method at ${caseText(store.data, chosen)}`
        return [
          figure({ chart: curveChart(store, plan, points, width), label, caption: plan.reading, title: plan.title })
        ]
      })
    )
  })
}

function captionOf(data: PageData): string {
  const { seeds, maxPoints, targetLoss, cases } = data
  const hasEpochs = cases.some(({ entries }) => entries.some((entry) => entry?.epochs !== undefined))
  const lines =
    seeds === 1
      ? 'Each line is one run.'
      : `Lines are medians over ${seeds} seeds, bands reach from the minimum to the maximum.`
  return (
    `${lines} Loss is that of ${modelWord(data)} on the test set. A mark ends each line; ` +
    'a run that has ended keeps its last loss, a run that failed leaves the band. ' +
    (targetLoss === undefined ? '' : 'Dashed: the target. ') +
    (hasEpochs ? epochsText : '') +
    `Point at a line for its figures. At most ${maxPoints} points of each curve are drawn; curves.csv has all of them.`
  )
}

const epochsText =
  'A thin vertical line is an epoch: peers were lost or taken in, and all continued from the mean of their models. At most twenty of each method are drawn. '
