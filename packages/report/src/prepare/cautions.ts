/**
 * What a reader must know before the figures: runs that ended early, lost peers, findings of real runs, and runs of
 * different lengths.
 */
import type { Results, RunRecord } from '@murmuration/results'

/** At most so many runs are named individually. */
const maxNamed = 3

/** Sentences for the top of the report; empty if all runs ended as planned. */
export function cautionSentences(results: Results): string[] {
  const unfinished = results.runs.filter(({ outcome }) => outcome === 'unfinished')
  const ended = results.runs.filter(({ ended: reason }) => reason !== undefined)
  const losing = results.runs.filter(({ lost = [] }) => lost.length > 0)
  const wrong = results.runs.filter(({ world, findings }) => world === 'libp2p' && findings.length > 0)
  return [
    ...counted(unfinished, 'runs are not finished', unfinishedText),
    ...counted(ended, 'runs ended early', endedText),
    ...counted(losing, 'runs lost peers', lostText),
    ...counted(wrong, 'real runs have findings, which are under Checks', findingsText),
    ...lengthText(results)
  ]
}

function counted(runs: readonly RunRecord[], summary: string, text: (run: RunRecord) => string): string[] {
  return runs.length > maxNamed ? [`${runs.length} ${summary}.`] : runs.map(text)
}

const roundsText = (rounds: number) => Math.round(rounds).toLocaleString('en-US')

const nameOf = ({ method, seed }: RunRecord) => `“${method}”, seed ${seed}`

const unfinishedText = (run: RunRecord) =>
  `${nameOf(run)}, is not finished: ${run.reason ?? 'its process ended, or is still running'}. Its figures are those after ${roundsText(run.rounds)} rounds.`

const endedText = (run: RunRecord) => `${nameOf(run)}, ended after ${roundsText(run.rounds)} rounds: ${run.ended}.`

const lostText = (run: RunRecord) => `${nameOf(run)}, continued without ${run.lost?.join('; ')}.`

const findingsText = (run: RunRecord) => `${nameOf(run)}: ${run.findings.join('; ')}.`

/** Merged folders may have runs of different lengths. Within one folder the sweep's stop rule says when a run ends. */
function lengthText({ sweep, runs }: Results): string[] {
  if (sweep.sources === undefined || sweep.targetLoss !== undefined) return []
  const whole = runs.filter(({ outcome }) => outcome === 'limit')
  const labels = [...new Set(whole.map(({ method }) => method))]
  const lengths = labels.map((label) => {
    const rounds = new Set(whole.filter(({ method }) => method === label).map((run) => Math.round(run.rounds)))
    return { label, rounds: [...rounds] }
  })
  const isSame = new Set(lengths.flatMap(({ rounds }) => rounds)).size <= 1
  if (isSame || lengths.some(({ rounds }) => rounds.length > 1)) return []
  const texts = lengths.map(({ label, rounds: [rounds] }) => `“${label}” ${roundsText(rounds)}`)
  return [`The runs have different lengths, so their final figures cannot be compared: ${texts.join(', ')} rounds.`]
}
