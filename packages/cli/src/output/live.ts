import chalk from 'chalk'
import Table from 'cli-table3'
import { createLogUpdate } from 'log-update'
import type { EvaluationEvent, NeighbourEvent, Output, PeerEvent, RunEvent, StartEvent, StepEvent } from '../events.js'
import { bytes, count, duration, lineOf, percent, reasonOf, roundsText, short, startText } from './texts.js'

const frameInterval = 100
const bars = '▁▂▃▄▅▆▇█'

/** A display for a terminal, redrawn a few times a second; what should stay is printed above it. */
export function liveOutput(stream: NodeJS.WriteStream, now: () => number): Output {
  const board = new Board(now)
  const update = createLogUpdate(stream, { showCursor: false })
  const draw = () => update(board.render(stream.columns ?? 80))
  const timer = setInterval(draw, frameInterval)
  const keep = (text: string) => {
    update.clear()
    stream.write(`${text}\n`)
    draw()
  }
  return {
    event: (event) => {
      board.take(event)
      if (event.kind === 'note' || event.kind === 'lost') keep(chalk.yellow(lineOf(event)))
      if (event.kind === 'neighbour' && event.state === 'refused') keep(chalk.red(lineOf(event)))
      if (event.kind === 'summary') {
        draw()
        update.done()
        clearInterval(timer)
        stream.write(`${summaryOf(lineOf(event))}\n`)
      }
    },
    end: () => {
      clearInterval(timer)
      update.done()
    }
  }
}

function summaryOf(text: string): string {
  const [blank, first, ...rest] = text.split('\n')
  return [blank, chalk.bold(first), ...rest].join('\n')
}

/** What is known of the run, and how it looks. */
class Board {
  readonly #now: () => number
  readonly #peers = new Map<string, PeerEvent>()
  readonly #steps = new Map<string, StepEvent>()
  readonly #neighbours = new Map<string, Map<string, NeighbourEvent>>()
  readonly #losses: number[] = []
  #start: StartEvent | undefined
  #began: number | undefined
  #mean: EvaluationEvent | undefined
  #centralised: EvaluationEvent | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  take(event: RunEvent): void {
    if (event.kind === 'start') this.#start = event
    if (event.kind === 'peer') this.#peers.set(event.peer, event)
    if (event.kind === 'neighbour') this.#takeNeighbour(event)
    if (event.kind === 'step') this.#takeStep(event)
    if (event.kind === 'evaluation' && event.of === 'centralised') this.#centralised = event
    else if (event.kind === 'evaluation') this.#mean = event
  }

  render(columns: number): string {
    const start = this.#start
    if (start === undefined) return ''
    const width = Math.max(60, Math.min(columns, 120))
    return ['', ...this.#head(start, width), '', ...this.#progress(start, width), '', this.#table(start), ''].join('\n')
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
    const lines = facts
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => chalk.dim(fit(`  ${name.padEnd(8)} ${text}`, width)))
    return [`${chalk.bold.cyan('murmuration')}  ${startText(start)}`, ...lines]
  }

  #progress(start: StartEvent, width: number): string[] {
    const total = start.rounds + start.closingRounds
    const reports = [...this.#steps.values()]
    if (reports.length === 0 || this.#began === undefined) {
      const [up, all] = [this.#peers.size, start.peers.length]
      return [`  ${chalk.yellow(up === 0 ? 'starting' : 'connecting')}  ${count(up)} of ${count(all)} peers are up`]
    }
    const done = reports.length < this.#expected(start) ? 0 : Math.min(...reports.map((report) => report.round + 1))
    const samples = reports.reduce((sum, report) => sum + report.samples, 0)
    const elapsed = (this.#now() - this.#began) / 1000
    const left = done === 0 ? undefined : (elapsed / done) * (total - done)
    const cells = Math.max(10, width - 62)
    const filled = Math.round((cells * done) / total)
    const bar = chalk.cyan('█'.repeat(filled)) + chalk.dim('░'.repeat(cells - filled))
    const phase = done >= total ? 'finished' : done > start.rounds ? 'agreeing' : 'training'
    const time = done >= total ? '' : left === undefined ? '' : `${duration(left)} left`
    return [
      `  ${chalk.bold(phase)} ${bar} ${count(done)}/${count(total)} rounds  ${count(samples / elapsed)} samples/s  ${time}`,
      `  loss ${chalk.bold(short(this.#recentLoss()))} ${chalk.cyan(this.#sparkline(24))}   ` +
        `${this.#quality()}   ${this.#distance(reports)}`,
      ...(this.#centralised === undefined
        ? []
        : [`  plain SGD on all the data: round ${count(this.#centralised.round + 1)}, ${qualityOf(this.#centralised)}`])
    ]
  }

  /** The test set's verdict; a dash before there is one. */
  #quality(): string {
    if (this.#mean === undefined) return chalk.bold('–')
    return qualityOf(this.#mean, chalk.bold)
  }

  /** A swarm's display knows all models now and then; a single peer's knows its neighbours' only. */
  #distance(reports: readonly StepEvent[]): string {
    const known = this.#mean?.consensusDistance
    if (known !== undefined) return `consensus distance ${chalk.bold(short(known))}`
    return `distance to neighbours ${chalk.bold(short(Math.max(...reports.map((report) => report.disagreement))))}`
  }

  /** How many peers report to this display: all in a swarm, one when it is a single peer's. */
  #expected(start: StartEvent): number {
    return Math.min(this.#peers.size, start.peers.length)
  }

  #recentLoss(): number | undefined {
    const recent = this.#losses.slice(-Math.max(1, this.#steps.size))
    return recent.length === 0 ? undefined : recent.reduce((sum, loss) => sum + loss, 0) / recent.length
  }

  /** The loss over time, the mean of each piece of it as one block. */
  #sparkline(cells: number): string {
    const size = Math.max(1, Math.ceil(this.#losses.length / cells))
    const means: number[] = []
    for (let start = 0; start < this.#losses.length; start += size) {
      const piece = this.#losses.slice(start, start + size)
      means.push(piece.reduce((sum, loss) => sum + loss, 0) / piece.length)
    }
    const [low, high] = [Math.min(...means), Math.max(...means)]
    return means.map((mean) => bars[Math.round((7 * (mean - low)) / (high - low || 1))]).join('')
  }

  #table(start: StartEvent): string {
    const table = new Table({
      head: ['peer', 'round', 'loss', 'rounds/s', 'sent', 'received', 'waiting', 'neighbours'].map((title) =>
        chalk.dim(title)
      ),
      colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
      style: { 'head': [], 'border': [], 'padding-left': 2, 'padding-right': 1 },
      chars: noBorders
    })
    const shown = start.peers.filter((peer) => this.#peers.has(peer)).slice(0, 16)
    for (const peer of shown) table.push(this.#row(peer))
    const more = this.#peers.size - shown.length
    return table.toString() + (more > 0 ? chalk.dim(`\n  and ${count(more)} more`) : '')
  }

  #row(peer: string): string[] {
    const step = this.#steps.get(peer)
    const neighbours = [...(this.#neighbours.get(peer)?.values() ?? [])].map(markOf).join(' ')
    if (step === undefined) return [peer, '–', '–', '–', '–', '–', '–', neighbours]
    const pace = step.seconds > 0 ? (step.round + 1) / step.seconds : 0
    const missing = step.missing.length > 0 ? chalk.red(`  missing ${step.missing.join(', ')}`) : ''
    return [
      chalk.bold(peer),
      count(step.round + 1),
      short(step.loss),
      pace.toFixed(1),
      bytes(step.bytesSent),
      bytes(step.bytesReceived),
      percent(step.waiting),
      neighbours + missing
    ]
  }
}

/** The accuracy, or where numbers are learned the loss on the test set. */
function qualityOf({ accuracy, loss }: EvaluationEvent, emphasise = (text: string) => text): string {
  return accuracy === undefined ? `test loss ${emphasise(short(loss))}` : `accuracy ${emphasise(percent(accuracy))}`
}

/** The beginning of a text that is too long for its line. */
function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}

function markOf({ neighbour, state }: NeighbourEvent): string {
  if (state === 'ready') return `${neighbour} ${chalk.green('●')}`
  if (state === 'refused' || state === 'silent') return `${neighbour} ${chalk.red('●')} ${state}`
  return state === 'left' ? chalk.dim(`${neighbour} ○`) : `${neighbour} ${chalk.yellow('○')}`
}

const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle'
  ].map((part) => [part, ''])
)
