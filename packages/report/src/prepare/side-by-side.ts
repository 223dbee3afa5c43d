/**
 * Sentences where methods are not ranked: about a single method, and about real runs compared with their simulations.
 */
import type { Case, MethodOutcome, PageData } from '../shared/page-data.js'
import { bytesText, factorText, rangeText, secondsText, short } from '../shared/units.js'
import { caseText } from '../shared/verdicts.js'

const quoted = (label: string) => `“${label}”`

/** About a single method: time and bytes per round, and the final loss. */
export function aloneSentence({ methods, cases }: PageData, method: number): string {
  const over = (figure: (entry: MethodOutcome) => number | null, text: (value: number) => string) => {
    const values = cases.flatMap(({ entries }) => {
      const entry = entries[method]
      return entry === null ? [] : (figure(entry) ?? [])
    })
    if (values.length === 0) return undefined
    const [min, max] = [Math.min(...values), Math.max(...values)].map(text)
    return min === max ? min : rangeText(min, max)
  }
  const seconds = over(({ measures }) => measures.secondsPerRound.middle, secondsText)
  const bytes = over(({ measures }) => measures.bytesPerRound.middle, bytesText)
  const loss = over(({ finalLoss }) => finalLoss.middle, short)
  const rounds =
    seconds === undefined ? [] : [`takes ${seconds}${bytes === undefined ? '' : ` and sends ${bytes}`} per round`]
  const isWhole = cases.every(({ entries }) => (entries[method]?.unfinished.length ?? 0) === 0)
  const parts = [
    ...rounds,
    ...(loss === undefined ? [] : [`${isWhole ? 'ends with' : 'has reached'} a loss of ${loss}`])
  ]
  return parts.length === 0 ? 'No run ended.' : `${quoted(methods[method])} ${parts.join(', and ')}.`
}

/** Compares each real run with the simulations of its method. */
export function predictionSentences(data: PageData): string[] {
  const { methods, originalLabels, worlds } = data
  const indices = methods.map((_, index) => index)
  const pairs = indices.flatMap((real) =>
    worlds[real] === 'libp2p'
      ? indices.flatMap((simulated) =>
          worlds[simulated] === 'simulator' && originalLabels[simulated] === originalLabels[real]
            ? [{ real, simulated }]
            : []
        )
      : []
  )
  const found = pairs.flatMap(({ real, simulated }) =>
    data.cases.flatMap((of) => predictionSentence(data, of, real, simulated))
  )
  return found.length > 0 ? found : ['No method was both run and simulated in the same setting.']
}

function predictionSentence(data: PageData, of: Case, real: number, simulated: number): string[] {
  const measured = of.entries[real]
  const predicted = of.entries[simulated]
  if (measured === null || predicted === null) return []
  const where = data.cases.length === 1 ? '' : ` at ${caseText(data, of)}`
  return [`${quoted(data.methods[real])}${where}: ${times(measured, predicted)}; ${losses(measured, predicted)}.`]
}

function times({ measures: measured }: MethodOutcome, { measures: predicted }: MethodOutcome): string {
  const real = measured.secondsPerRound.middle
  const virtual = predicted.secondsPerRound.middle
  if (real === null || virtual === null) return 'one of them has no time per round'
  const factor = virtual === 0 ? '' : `, ${factorText(real / virtual)} as long`
  return `a real round takes ${secondsText(real)} and a simulated one ${secondsText(virtual)}${factor}`
}

function losses({ finalLoss: measured }: MethodOutcome, { finalLoss: predicted }: MethodOutcome): string {
  const text = (loss: number | null) => (loss === null ? 'without a number' : short(loss))
  return `the final loss is ${text(measured.middle)}, simulated ${text(predicted.middle)}`
}
