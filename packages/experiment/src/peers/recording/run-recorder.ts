import type { Milliseconds, PeerName } from '@murmuration/core'
import type { CurvePoint, EpochRecord, RunRecord, TimeFractions } from '@murmuration/results'
import {
  type EpochEvent,
  type EvaluationEvent,
  type PeerSummary,
  type RunEvent,
  secondsOf,
  type Summary
} from '../../base/events.js'

/** What is known of a run before it starts. */
export interface RecordedRun {
  /** The method's label in the results. */
  readonly method: string
  readonly seed: number
  /** Of training. */
  readonly rounds: number
  /** After training. */
  readonly finalRounds: number
  /** The number of peers that train. */
  readonly peers: number
  /** Records only the figures of this peer; default: of all. */
  readonly peer?: PeerName | undefined
}

/** Why a run did not complete. */
export interface Failure {
  readonly outcome: 'failed' | 'unfinished'
  readonly reason: string
}

/** Converts the events of a run to its record in the results. */
export class RunRecorder {
  readonly #run: RecordedRun
  readonly #points: CurvePoint[] = []
  readonly #findings: string[] = []
  readonly #lost: string[] = []
  readonly #epochs: EpochRecord[] = []
  readonly #now: () => Milliseconds
  /** When training began; undefined until a peer has trained. */
  #start: Milliseconds | undefined
  #begun = 0
  /** The last duality gap. */
  #gap: number | undefined
  #summary: Summary | PeerSummary | undefined
  #failure: Failure | undefined

  constructor(run: RecordedRun, now: () => Milliseconds) {
    this.#run = run
    this.#now = now
  }

  /** Whether any peer has trained. */
  get hasStarted(): boolean {
    return this.#start !== undefined
  }

  /** Takes an event. Returns whether the curve, or the list of epochs, has grown. */
  take(event: RunEvent): boolean {
    if (event.kind === 'step') {
      this.#start ??= this.#now() - 1000 * event.seconds
      this.#gap = event.gap ?? this.#gap
    }
    if (event.kind === 'lost') this.#lost.push(`${event.peer}: ${event.reason}`)
    if (event.kind === 'summary') this.#end(event)
    if (event.kind === 'epoch') return this.#begin(event)
    return event.kind === 'evaluation' && event.of === (this.#run.peer ?? 'mean') && this.#add(event)
  }

  /** Records the error with which the run ended. After the summary, it is a finding about the end. */
  fail(failure: Failure): void {
    if (this.#summary === undefined) this.#failure = failure
    else this.#findings.push(failure.reason)
  }

  /** The run until now, or the whole run once it has ended. */
  record(): RunRecord {
    const { method, seed, peers, peer, rounds } = this.#run
    const last = this.#points.at(-1)
    // The final averaging rounds come after the first evaluation of the last round.
    const trained = this.#points.find(({ round }) => round === (this.#summary?.rounds ?? rounds)) ?? last
    return {
      world: 'libp2p',
      ...(peer === undefined ? {} : { peer }),
      settings: {},
      method,
      seed,
      ...(this.#summary === undefined ? (this.#failure ?? { outcome: 'unfinished' }) : { outcome: 'limit' }),
      peers,
      seconds: last?.seconds ?? 0,
      rounds: last?.round ?? 0,
      ...(this.#begun === 0 ? {} : { begun: this.#begun }),
      secondsPerRound: trained === undefined ? 0 : trained.seconds / Math.max(1, trained.round - this.#begun),
      samples: last?.samples ?? 0,
      bytesSent: last?.bytes ?? 0,
      ...this.#figures(),
      curve: this.#points,
      ...(this.#lost.length === 0 ? {} : { lost: this.#lost }),
      ...(this.#epochs.length === 0 ? {} : { epochs: this.#epochs }),
      findings: this.#findings
    }
  }

  /** Takes the first report of an epoch; in a swarm, each of its members sends one. */
  #begin({ epoch, round, members, lost, joined }: EpochEvent): boolean {
    if (epoch <= (this.#epochs.at(-1)?.epoch ?? 0)) return false
    const seconds = this.#start === undefined ? 0 : secondsOf(this.#now() - this.#start)
    this.#epochs.push({ epoch, round, seconds, members, lost, joined })
    return true
  }

  #add({ round, loss, accuracy, perplexity, measures, consensusDistance, ...progress }: EvaluationEvent): boolean {
    const { seconds, samples, bytes, begun = 0 } = progress
    if (seconds === undefined || samples === undefined || bytes === undefined) return false
    this.#begun = begun
    this.#points.push({
      seconds,
      samples,
      bytes,
      round: round + 1,
      loss,
      ...present({ accuracy, perplexity, measures, gap: this.#gap }),
      ...(consensusDistance === undefined ? {} : { consensusDistance })
    })
    return true
  }

  #end(summary: Summary | PeerSummary): void {
    this.#summary = summary
    this.#begun = summary.begun ?? 0
    const { faults, outliers, rounds, seconds, samples, bytesSent } = summary
    for (const { sender, to, kinds } of faults) {
      const counts = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`)
      this.#findings.push(`${sender} was at fault (${counts.join(', ')}), sent to ${to.join(', ')}`)
    }
    if (outliers.length > 0) this.#findings.push(`far from their neighbours: ${outliers.join(', ')}`)
    const last = this.#points.at(-1)
    const quality = qualityOf(summary)
    if (quality === undefined) return
    // Without final averaging rounds, the last round of training is the end, and was evaluated already.
    if (last?.round === rounds && this.#run.finalRounds === 0) this.#points.pop()
    // The summary covers the peers that finished; the work of lost peers is in the curve.
    this.#points.push({
      seconds: Math.max(seconds, last?.seconds ?? 0),
      samples: Math.max(samples, last?.samples ?? 0),
      bytes: Math.max(bytesSent, last?.bytes ?? 0),
      round: rounds,
      ...quality
    })
  }

  #figures(): Partial<RunRecord> {
    const summary = this.#summary
    if (summary === undefined) return {}
    const { payloadSent, messages, working, bytesReceived, keys, learnedNothing, ended } = summary
    const time: TimeFractions = { working }
    const texts = { ...(learnedNothing && { learnedNothing }), ...(ended && { ended }) }
    const figures = { payloadSent, messages, time, ...(keys && { keys }), ...texts }
    if (!('peer' in summary)) {
      const { busiestPeer: name, bytesOfBusiest: bytes, models } = summary
      return { ...figures, busiest: { name, bytes }, models }
    }
    const { peer, model, bytesSent } = summary
    return { ...figures, busiest: { name: peer, bytes: bytesSent + bytesReceived }, models: { [peer]: model } }
  }
}

type Quality = Omit<CurvePoint, 'seconds' | 'samples' | 'bytes' | 'round'>

/** The evaluation on the test set at the end; undefined for a server. */
function qualityOf(summary: Summary | PeerSummary): Quality | undefined {
  if ('peer' in summary) {
    const { loss, accuracy, perplexity, measures, gap } = summary
    return loss === undefined ? undefined : { loss, ...present({ accuracy, perplexity, measures, gap }) }
  }
  const { lossOfMean: loss, lossOfWorst: worstLoss, consensusDistance, gap } = summary
  const { accuracyOfMean: accuracy, perplexityOfMean: perplexity, measuresOfMean: measures } = summary
  return { loss, ...present({ accuracy, perplexity, measures, gap }), worstLoss, consensusDistance }
}

/** Without undefined values. */
function present<Fields extends Partial<Quality>>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
}
