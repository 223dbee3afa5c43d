import chalk from 'chalk'
import { shortList } from '@murmuration/core'
import type {
  EpochEvent,
  EvaluationEvent,
  NeighbourEvent,
  PeerStartEvent,
  RunEvent,
  StartEvent,
  StepEvent
} from '@murmuration/experiment'
import { lengthOf, type PeerRow, peerTable } from './peer-table.js'
import { bytes, count, duration, percent, reasonOf, roundsText, short, startText } from './texts.js'

const bars = '▁▂▃▄▅▆▇█'
const maxBar = 58

/** The state of the run, and its display. */
export class RunBoard {
  readonly #now: () => number
  readonly #peers = new Map<string, PeerStartEvent>()
  readonly #steps = new Map<string, StepEvent>()
  readonly #neighbours = new Map<string, Map<string, NeighbourEvent>>()
  readonly #losses: number[] = []
  readonly #lost = new Set<string>()
  #start: StartEvent | undefined
  #began: number | undefined
  #epoch: EpochEvent | undefined
  /** The newest of each kind. */
  readonly #evaluations: { mean?: EvaluationEvent; centralised?: EvaluationEvent } = {}

  constructor(now: () => number) {
    this.#now = now
  }

  take(event: RunEvent): void {
    if (event.kind === 'start') this.#start = event
    if (event.kind === 'peer') this.#peers.set(event.peer, event)
    if (event.kind === 'lost') this.#lost.add(event.peer)
    if (event.kind === 'neighbour') this.#takeNeighbour(event)
    if (event.kind === 'step') this.#takeStep(event)
    if (event.kind === 'epoch' && event.epoch >= (this.#epoch?.epoch ?? 0)) this.#epoch = event
    if (event.kind === 'evaluation') this.#evaluations[event.of === 'centralised' ? 'centralised' : 'mean'] = event
  }

  /** As many lines as fit in a window of `columns` × `rows` (at least 40 × 15). No line wraps. */
  render(columns: number, rows: number): string {
    const start = this.#start
    if (start === undefined) return ''
    // A terminal may wrap as soon as its last column is filled.
    const width = Math.max(20, Math.min(columns - 1, 120))
    const [title, ...facts] = this.#head(start, width)
    const progress = this.#progress(start, width)
    const peers = this.#table(start, width)
    const isTight = rows < 4 + facts.length + progress.length + peers.length + 3
    const top = isTight ? [title, ...progress] : ['', title, ...facts, '', ...progress, '']
    const room = Math.max(2, rows - top.length - 2)
    return [...top, ...shortened(peers, room), ...(isTight ? [] : [''])].join('\n')
  }

  #takeNeighbour(event: NeighbourEvent): void {
    const states = this.#neighbours.get(event.peer) ?? new Map<string, NeighbourEvent>()
    states.set(event.neighbour, event)
    this.#neighbours.set(event.peer, states)
  }

  #takeStep(event: StepEvent): void {
    this.#began ??= this.#now() - 1000 * event.seconds
    this.#steps.set(event.peer, event)
    if (event.loss !== undefined) this.#losses.push(event.loss)
  }

  #head(start: StartEvent, width: number): string[] {
    const [first] = this.#peers.values()
    const facts: (readonly [string, string | undefined])[] = [
      ['method', start.algorithm],
      ['rounds', roundsText(start)]
    ]
    if (first !== undefined) {
      const { model, data, backend } = first.about
      facts.push(['model', model], ['data', data], ['backend', backend && `${backend}${reasonOf(first.about)}`])
    }
    if (this.#epoch !== undefined) facts.push(['epoch', `${this.#epoch.epoch}, of ${shortList(this.#epoch.members)}`])
    const lines = facts
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => chalk.dim(fit(`  ${name.padEnd(8)} ${text}`, width)))
    return [`${chalk.bold.cyan('murmuration')}  ${fit(startText(start), width - 13)}`, ...lines]
  }

  #progress(start: StartEvent, width: number): string[] {
    const total = start.rounds + start.finalRounds
    const reports = [...this.#steps.values()].filter(({ peer }) => !this.#lost.has(peer))
    if (reports.length === 0 || this.#began === undefined) {
      const up = this.#peers.size
      const all = start.peers.length
      return [`  ${chalk.yellow(up === 0 ? 'starting' : 'connecting')}  ${count(up)} of ${count(all)} peers are up`]
    }
    const done = reports.length < this.#expected(start) ? 0 : Math.min(...reports.map((report) => report.round + 1))
    const samples = reports.reduce((sum, report) => sum + report.samples, 0)
    const elapsed = (this.#now() - this.#began) / 1000
    const phase = done >= total ? 'finished' : done > start.rounds ? 'averaging' : 'training'
    const figures = [`${count(done)}/${count(total)} rounds`, `${count(samples / elapsed)} samples/s`]
    if (done > 0 && done < total) figures.push(`${duration((elapsed / done) * (total - done))} left`)
    const { centralised } = this.#evaluations
    const verdicts = [
      `loss ${chalk.bold(short(this.#recentLoss()))} ${chalk.cyan(this.#sparkline(Math.min(24, width - 16)))}`,
      this.#quality(),
      this.#distance(reports),
      ...gapText(reports)
    ]
    return [
      barLine(phase, done / total, figures, width),
      ...wrapped(verdicts, width),
      ...(centralised === undefined
        ? []
        : wrapped(
            ['plain SGD on all the data:', `round ${count(centralised.round + 1)}`, qualityOf(centralised)],
            width,
            ' '
          ))
    ]
  }

  /** The quality on the test set; a dash before the first evaluation. */
  #quality(): string {
    const { mean } = this.#evaluations
    return mean === undefined ? chalk.bold('–') : qualityOf(mean, chalk.bold)
  }

  /**
   * A swarm's display gets the consensus distance from time to time; a single peer's knows only its neighbours' models.
   */
  #distance(reports: readonly StepEvent[]): string {
    const measured = this.#evaluations.mean?.consensusDistance
    if (measured !== undefined) return `consensus distance ${chalk.bold(short(measured))}`
    const estimate = reports.find(({ consensusDistance }) => consensusDistance !== undefined)?.consensusDistance
    if (estimate !== undefined) return `consensus distance about ${chalk.bold(short(estimate))}`
    const distances = reports.flatMap(({ disagreement }) => disagreement ?? [])
    return `distance to neighbours ${chalk.bold(distances.length === 0 ? '–' : short(Math.max(...distances)))}`
  }

  /** How many peers report to this display: all in a swarm, else one. */
  #expected(start: StartEvent): number {
    return Math.min(this.#peers.size, start.peers.length) - this.#lost.size
  }

  #recentLoss(): number | undefined {
    const recent = this.#losses.slice(-Math.max(1, this.#steps.size))
    return recent.length === 0 ? undefined : recent.reduce((sum, loss) => sum + loss, 0) / recent.length
  }

  /** The loss over time; each block is the mean of an interval. */
  #sparkline(cells: number): string {
    const size = Math.max(1, Math.ceil(this.#losses.length / cells))
    const means: number[] = []
    for (let start = 0; start < this.#losses.length; start += size) {
      const interval = this.#losses.slice(start, start + size)
      means.push(interval.reduce((sum, loss) => sum + loss, 0) / interval.length)
    }
    const low = Math.min(...means)
    const high = Math.max(...means)
    return means.map((mean) => bars[Math.round((7 * (mean - low)) / (high - low || 1))]).join('')
  }

  #table(start: StartEvent, width: number): string[] {
    const started = start.peers.filter((peer) => this.#peers.has(peer))
    return peerTable(
      started.map((peer) => this.#row(peer)),
      width
    )
  }

  #row(peer: string): PeerRow {
    const step = this.#steps.get(peer)
    const marks = [...(this.#neighbours.get(peer)?.values() ?? [])].map(markOf).join(' ')
    const none = { 'round': '–', 'loss': '–', 'rounds/s': '–', 'sent': '–', 'received': '–', 'waiting': '–' }
    if (step === undefined) return { peer, ...none, neighbours: marks }
    const pace = step.seconds > 0 ? (step.round + 1) / step.seconds : 0
    // Problems come first, since the end of a long cell is cut off.
    const missing = step.missing.length > 0 ? chalk.red(`missing ${step.missing.join(', ')}  `) : ''
    return {
      'peer': chalk.bold(peer),
      'round': count(step.round + 1),
      'loss': short(step.loss),
      'rounds/s': pace.toFixed(1),
      'sent': bytes(step.bytesSent),
      'received': bytes(step.bytesReceived),
      'waiting': percent(step.waiting),
      'neighbours': this.#lost.has(peer) ? chalk.red('lost') : missing + marks
    }
  }
}

/** The phase, a bar that fills the room, and as many of the figures as fit. */
function barLine(phase: string, fraction: number, figures: readonly string[], width: number): string {
  const shown = [...figures]
  const room = () => width - 3 - phase.length - shown.reduce((sum, figure) => sum + 2 + figure.length, 0)
  while (room() < 10 && shown.length > 1) shown.pop()
  const cells = Math.max(1, Math.min(maxBar, room()))
  const filled = Math.round(cells * Math.min(1, fraction))
  const bar = chalk.cyan('█'.repeat(filled)) + chalk.dim('░'.repeat(cells - filled))
  return [`  ${chalk.bold(phase)} ${bar}`, ...shown].join('  ')
}

/** Parts in as few lines as possible. */
function wrapped(parts: readonly string[], width: number, gap = '   '): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last + gap + part) <= width) lines[lines.length - 1] = last + gap + part
    else lines.push(`  ${part}`)
  }
  return lines
}

/** The first lines, and how many more there are. */
function shortened(lines: readonly string[], room: number): string[] {
  if (lines.length <= room) return [...lines]
  const shown = lines.slice(0, room - 1)
  return [...shown, chalk.dim(`  and ${count(lines.length - shown.length)} more`)]
}

/** The accuracy, or for tasks without one the loss on the test set. */
function qualityOf({ accuracy, loss }: EvaluationEvent, emphasise = (text: string) => text): string {
  return accuracy === undefined ? `test loss ${emphasise(short(loss))}` : `accuracy ${emphasise(percent(accuracy))}`
}

/** The text, cut to its line. */
function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}

function markOf({ neighbour, state, reason }: NeighbourEvent): string {
  // A neighbour that is ready has a reason only if it is relayed.
  if (state === 'ready') return `${neighbour} ${chalk.green('●')}${reason === undefined ? '' : ' relayed'}`
  if (state === 'refused' || state === 'silent' || state === 'barred') return `${neighbour} ${chalk.red('●')} ${state}`
  return state === 'left' ? chalk.dim(`${neighbour} ○`) : `${neighbour} ${chalk.yellow('○')}`
}

/** The duality gap that was known last. */
function gapText(reports: readonly StepEvent[]): string[] {
  const newest = reports
    .filter(({ gap }) => gap !== undefined)
    .sort((left, right) => right.round - left.round)
    .at(0)
  return newest === undefined ? [] : [`duality gap ${chalk.bold(short(newest.gap))}`]
}
