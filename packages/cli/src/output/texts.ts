import { outlierText } from '@murmuration/algorithms'
import { type Evaluation, shortList } from '@murmuration/core'
import prettyBytes from 'pretty-bytes'
import {
  epochText,
  type BrowsersEvent,
  type PeerSummary,
  type RunEvent,
  type StartEvent,
  type StateSeconds,
  type StoreEvent,
  type Summary
} from '@murmuration/experiment'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** 12,345 */
export const count = (value: number): string => whole.format(value)

/** 93.4 %; a dash for undefined. */
export const percent = (fraction: number | undefined): string =>
  fraction === undefined ? '–' : `${(100 * fraction).toFixed(2)} %`

/** Three significant digits. */
export const short = (value: number | undefined): string => {
  if (value === undefined) return '–'
  return Math.abs(value) >= 0.001 || value === 0 ? value.toPrecision(3) : value.toExponential(1)
}

/** 1.2 MB */
export const bytes = (value: number): string => prettyBytes(value)

/** 1 min 5 s */
export const duration = (seconds: number): string => {
  const rounded = Math.max(0, Math.round(seconds))
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`
}

/** The peers and the topology. */
export function startText({ peers, topology, spectralGap }: StartEvent): string {
  return `${count(peers.length)} peers, ${topology}, spectral gap ${short(spectralGap)}`
}

/** The algorithm and the codec. */
export function algorithmText({ algorithm, codec }: StartEvent): string {
  return codec === 'float32' ? algorithm : `${algorithm}; parameters are sent as ${codec}`
}

/** The number of rounds. */
export function roundsText({ rounds, finalRounds }: StartEvent): string {
  return `${count(rounds)} of training, ${count(finalRounds)} of averaging at the end`
}

/** An event as one plain line; the caller thins out steps. */
export function lineOf(event: RunEvent): string {
  switch (event.kind) {
    case 'start':
      return `${startText(event)}\n${algorithmText(event)}\nrounds: ${roundsText(event)}`
    case 'peer':
      return `${event.peer} is up: ${event.addresses.join(', ')}; ${modelOf(event.about)}; ${event.about.data ?? 'local data'}; ${event.about.backend ?? 'TypeScript'}${reasonOf(event.about)}`
    case 'watch':
      return `watch the run at ${event.url}`
    case 'browsers':
      return browsersText(event)
    case 'lost':
      return event.consequence === undefined ? event.reason : `${event.reason}; ${event.consequence}`
    case 'neighbour':
      return `${event.peer}: ${event.neighbour} ${event.state === 'left' ? 'has left' : `is ${event.state}`}${event.reason === undefined ? '' : `: ${event.reason}`}`
    case 'membership':
    case 'note':
      return event.text
    case 'epoch':
      return epochText(event)
    case 'step': {
      const loss = event.phase === 'train' ? `loss ${short(event.loss)}` : 'averaging'
      const missing = event.missing.length === 0 ? '' : `, missing: ${event.missing.join(', ')}`
      const away = event.disagreement === undefined ? '' : `, neighbours ${short(event.disagreement)} away`
      const gap = event.gap === undefined ? '' : `, duality gap ${short(event.gap)}`
      const ends = event.ends === undefined ? '' : `; training ends: ${event.ends}`
      return `${event.peer} round ${event.round + 1}: ${loss}${away}${gap}${missing}${ends}`
    }
    case 'evaluation': {
      const distance =
        event.consensusDistance === undefined ? '' : `, consensus distance ${short(event.consensusDistance)}`
      const accuracy = event.accuracy === undefined ? '' : `, accuracy ${percent(event.accuracy)}`
      const perplexity = event.perplexity === undefined ? '' : `, perplexity ${short(event.perplexity)}`
      return `${nameOf(event.of)} after round ${event.round + 1}: loss ${short(event.loss)}${perplexity}${accuracy}${measuresText(event.measures)}${distance}`
    }
    case 'text':
      return `${nameOf(event.of)} after round ${event.round + 1} writes: ${JSON.stringify(event.text)}`
    case 'store':
      return storeText(event)
    case 'outlier':
      return `${event.peer}: ${outlierText(event)}; it sends wrong numbers, or forwards those of another peer`
    case 'summary':
      return ('peer' in event ? peerSummaryLines(event) : summaryLines(event)).join('\n')
  }
}

/** The page for browsers, and the links to it. */
function browsersText({ urls, seeds, links }: BrowsersEvent): string {
  const page = `browsers join at ${urls.join(' or ')}`
  const url = urls[1] ?? urls[0]
  if (links === undefined)
    return `${page}; a link to it is what "murmur invite TOPOLOGY --name NAME --page ${url}${seeds.map((seed) => ` --seed ${seed}`).join('')}" prints on the machine with the run key`
  if (links.length === 0)
    return `${page}; but the topology file keeps no place for them: add { name: NAME, invited: true } to its peers`
  const lines = links.flatMap(({ place, urls: [here, elsewhere] }) => [
    `a link for ${place}, for 48 h; whoever opens it first has the place:`,
    `  on this machine: ${here}`,
    ...(elsewhere === undefined ? [] : [`  on another device: ${elsewhere}`])
  ])
  return [page, ...lines].join('\n')
}

/** A service's accesses to its store. */
function storeText({ peer, seconds, overwritten, rolledBack, ...event }: StoreEvent): string {
  const { gets, sets, adds } = event
  const kinds = [
    [gets, 'get', event.millisecondsPerGet],
    [sets, 'set', event.millisecondsPerSet],
    [adds, 'add', event.millisecondsPerAdd]
  ] as const
  const counts = kinds
    .filter(([times]) => times > 0)
    .map(([times, name, each]) => `${count(times)} ${times === 1 ? name : `${name}s`} (${short(each)} ms each)`)
  const rate = seconds === 0 ? 0 : (gets + sets + adds) / seconds
  const lost = rolledBack === 0 ? '' : `; the store lost ${count(rolledBack)}`
  return `${peer}: store: ${counts.join(', ') || 'not used'}, ${short(rate)} operations/s; ${count(overwritten)} updates of others overwritten${lost}`
}

/** The model, or the stage of it that the peer trains. */
function modelOf({ model = 'a model', stage }: Readonly<Record<string, string>>): string {
  return stage === undefined ? model : `${model}, stage ${stage}`
}

/** The reason for the choice of the backend, in brackets, if there is one. */
export function reasonOf({ backendReason }: Readonly<Record<string, string>>): string {
  return backendReason === undefined ? '' : ` (${backendReason})`
}

function nameOf(of: string): string {
  if (of === 'mean') return 'the mean of all peers'
  return of === 'centralised' ? 'plain SGD on all data' : `peer ${of}`
}

/** The bytes that the codec sent, as a fraction of float32; empty if nothing is saved. */
function savedText({ payloadSent, rawSent }: Pick<Summary, 'payloadSent' | 'rawSent'>): string {
  return payloadSent >= rawSent ? '' : `, ${percent(payloadSent / rawSent)} of float32`
}

/** The quality of the models; regression has no accuracy, and only texts have a perplexity. */
function qualityLines(summary: Summary): string[] {
  const { accuracyOfMean: accuracy, lossOfMean: loss, perplexityOfMean: perplexity } = summary
  if (perplexity !== undefined) {
    return [
      `  perplexity of the mean model ${quality({ accuracy, loss, perplexity })}`,
      `  perplexity of the worst peer ${short(summary.perplexityOfWorst)}`
    ]
  }
  if (accuracy === undefined) {
    return [
      `  the mean model               loss ${short(loss)}`,
      `  the worst peer               loss ${short(summary.lossOfWorst)}`
    ]
  }
  return [
    `  accuracy of the mean model   ${quality({ accuracy, loss, measures: summary.measuresOfMean })}`,
    `  accuracy of the worst peer   ${percent(summary.accuracyOfWorst)}`
  ]
}

/** Further measures of the task, each after a comma. */
const measuresText = (measures: Evaluation['measures'] = {}): string =>
  Object.entries(measures)
    .map(([name, value]) => `, ${name} ${Number.isInteger(value) ? count(value) : value.toFixed(3)}`)
    .join('')

/** Perplexity, accuracy, loss and further measures, as far as they exist. */
export function quality({ accuracy, loss, perplexity, measures }: Partial<Evaluation>): string {
  if (perplexity !== undefined) return `${short(perplexity)}   loss ${short(loss)}, accuracy ${percent(accuracy)}`
  const words = `loss ${short(loss)}${measuresText(measures)}`
  return accuracy === undefined ? words : `${percent(accuracy)}   ${words}`
}

/** The name of the first figure of {@link quality}. */
export function qualityWord({ accuracy, perplexity }: Partial<Evaluation>): string {
  if (perplexity !== undefined) return 'perplexity'
  return accuracy === undefined ? '' : 'accuracy'
}

function finishedText({ peers, finished, lost }: Pick<Summary, 'peers' | 'finished' | 'lost'>): string {
  if (lost.length === 0) return `${count(peers)} peers`
  return `${count(finished)} of ${count(peers)} peers finished (lost: ${lost.join(', ')})`
}

/** The epochs that began after the first, if any, and who was lost in them. */
function epochLines({ epochs, lost = [] }: Pick<PeerSummary, 'epochs' | 'lost'>): string[] {
  if (epochs === undefined) return []
  return [`  new epochs                   ${count(epochs)}${lost.length === 0 ? '' : `, without ${shortList(lost)}`}`]
}

/** The peers that were far from their neighbours, if any. */
function outlierLines({ outliers }: Pick<Summary, 'outliers'>): string[] {
  return outliers.length === 0 ? [] : [`  far from their neighbours    ${outliers.join(', ')}`]
}

/** For how long a peer was without some or all of the others. */
function troubleLine(peer: string, states: StateSeconds): string {
  const times = Object.entries(states).map(([state, seconds]) => `${state} for ${duration(seconds)}`)
  return `  ${`${peer} was`.padEnd(27)} ${times.join(', ')}`
}

/** The peers that sent what no correct peer sends: one line each. */
function faultLines({ faults }: Pick<Summary, 'faults'>): string[] {
  return faults.map(({ sender, to, kinds, cutOff }) => {
    const all = Object.entries(kinds).map(([kind, number]) => `${kind} ${count(number)}`)
    const times = cutOff === 0 ? 'not cut off' : `cut off ${cutOff === 1 ? 'once' : `${count(cutOff)} times`}`
    return `  at fault: ${sender.padEnd(18)} ${all.join(', ')}; ${times}   (sent to ${to.join(', ')})`
  })
}

/** How keyed rows were accessed, if there are any. */
function keyLines({ keys }: Pick<Summary, 'keys'>): string[] {
  if (keys === undefined) return []
  const { local, remote, queued, moved, copied } = keys
  const all = local + remote + queued
  const localText = all === 0 ? 'no row was used' : `${percent(local / all)} of ${count(all)} without a message`
  return [`  keyed rows                   ${localText}; ${count(moved)} moved, ${count(copied)} copied`]
}

/** Why the run has learned nothing, if it has not. */
function nothingLines({ learnedNothing }: Pick<Summary, 'learnedNothing'>): string[] {
  return learnedNothing === undefined ? [] : [`  learned nothing              ${learnedNothing}`]
}

/** Why training ended before all its rounds were over, if it did. */
function endLines({ ended }: Pick<Summary, 'ended'>): string[] {
  return ended === undefined ? [] : [`  ended early                  ${ended}`]
}

/** Rounds, samples and time. If the run resumed from a checkpoint, the time is that of the rounds since. */
function workText({
  rounds,
  samples,
  seconds,
  begun
}: Pick<Summary, 'rounds' | 'samples' | 'seconds' | 'begun'>): string {
  // Kernel machines go through no batches.
  if (samples === 0) return `${count(rounds)} rounds in ${duration(seconds)}`
  const all = `${count(rounds)} rounds, ${count(samples)} samples`
  if (begun !== undefined)
    return `${all}; the last ${count(Math.max(0, rounds - begun))} rounds in ${duration(seconds)}`
  return `${all} in ${duration(seconds)} (${count(samples / seconds)} samples/s)`
}

/** The summary of a run, for people. */
export function summaryLines(summary: Summary): string[] {
  const lines = ['', `${finishedText(summary)}, ${workText(summary)}, ${summary.backend}`, ...qualityLines(summary)]
  if (summary.centralisedAccuracy !== undefined || summary.centralisedLoss !== undefined) {
    lines.push(`  plain SGD on all the data    ${quality(centralisedOf(summary))}` + `   (${centralisedText(summary)})`)
  }
  lines.push(
    `  consensus distance           ${short(summary.consensusDistance)}` +
      (summary.consensusDistanceAfterTraining === undefined ||
      summary.consensusDistanceAfterTraining === summary.consensusDistance
        ? ''
        : `   (${short(summary.consensusDistanceAfterTraining)} before final averaging)`),
    ...gapLines(summary),
    ...epochLines(summary),
    ...Object.entries(summary.troubled).map(([peer, states]) => troubleLine(peer, states)),
    ...outlierLines(summary),
    ...faultLines(summary),
    `  sent and received            ${bytes(summary.bytesSent)} and ${bytes(summary.bytesReceived)}, busiest: ${summary.busiestPeer} with ${bytes(summary.bytesOfBusiest)}${savedText(summary)}`,
    `  waiting for neighbours       ${percent(summary.waiting)} of the time`,
    ...keyLines(summary),
    ...endLines(summary),
    ...nothingLines(summary)
  )
  return lines
}

/** What plain SGD has in common with the run. */
function centralisedText({ keys, gap }: Summary): string {
  if (gap !== undefined) return 'same rounds, joint batch'
  return keys === undefined ? 'same samples, same joint batch' : 'same samples, one worker'
}

function centralisedOf({ centralisedAccuracy, centralisedLoss, centralisedPerplexity }: Summary): Partial<Evaluation> {
  return {
    ...(centralisedLoss === undefined ? {} : { loss: centralisedLoss }),
    ...(centralisedAccuracy === undefined ? {} : { accuracy: centralisedAccuracy }),
    ...(centralisedPerplexity === undefined ? {} : { perplexity: centralisedPerplexity })
  }
}

function wordOfOwn(summary: PeerSummary): string {
  const word = qualityWord(summary)
  return word === '' ? 'its model' : `${word} of its model`
}

function slowestText({ waitedFor }: PeerSummary): string {
  return waitedFor === undefined ? '' : `, for ${waitedFor.neighbour} alone ${duration(waitedFor.seconds)}`
}

function agreementLines({ sameModel, apart = [] }: PeerSummary): string[] {
  if (sameModel === undefined) return []
  const same = sameModel.length === 0 ? 'nobody' : sameModel.join(', ')
  return [
    `  has the same model as        ${same}`,
    ...(apart.length === 0 ? [] : [`  has another model than       ${apart.join(', ')}`])
  ]
}

function gapLines({ gap }: Pick<Summary, 'gap'>): string[] {
  return gap === undefined
    ? []
    : [`  duality gap                  ${short(gap)}   (the training loss is at most so far above the optimum)`]
}

/** The summary of a single peer, for its user. */
function peerSummaryLines(summary: PeerSummary): string[] {
  return [
    '',
    `peer ${summary.peer} of ${count(summary.peers)}: ${workText(summary)}, ${summary.backend}`,
    `  ${wordOfOwn(summary).padEnd(28)} ${quality(summary)}`,
    ...(summary.neighbourDistance === undefined
      ? []
      : [`  distance to its neighbours   ${short(summary.neighbourDistance)}`]),
    ...(summary.trainedApart === undefined
      ? []
      : [`  trained without a majority   for ${duration(summary.trainedApart)}`]),
    ...agreementLines(summary),
    ...(summary.consensusDistance === undefined
      ? []
      : [`  consensus distance           about ${short(summary.consensusDistance)}, estimated from the peers' notes`]),
    ...gapLines(summary),
    ...epochLines(summary),
    ...(Object.keys(summary.troubled).length === 0 ? [] : [troubleLine(summary.peer, summary.troubled)]),
    ...outlierLines(summary),
    ...faultLines(summary),
    `  sent and received            ${bytes(summary.bytesSent)} and ${bytes(summary.bytesReceived)}${savedText(summary)}`,
    `  waiting for neighbours       ${percent(summary.waiting)} of the time${slowestText(summary)}`,
    ...keyLines(summary),
    ...endLines(summary),
    ...nothingLines(summary),
    `  SHA-256 of the model         ${summary.model.slice(0, 16)}…`
  ]
}
