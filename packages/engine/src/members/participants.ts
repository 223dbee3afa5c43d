/** Who takes part in a run, as its channels and its session see it. */
import type { ConsensusEstimate, Milliseconds, Mixing, PeerName } from '@murmuration/core'
import type { MemberProgress, SwarmView } from '@murmuration/membership'
import type { Route } from '../record/record.js'
import type { Vector } from '../vectors/vector.js'
import type { Waited } from './waits.js'

/** Who takes part in a run: `Everyone` from its start to its end, or `Members`, where peers come and go. */
export interface Participants {
  /** Whether a peer that is behind or was lost may take part again: then a message that does not arrive is no error. */
  readonly mayReturn: boolean
  readonly waits: WaitLimits
  /** Which peers are known to be dead. */
  readonly knowledge: Pick<SwarmView, 'isDead'>
  /** Whether a peer is dead, has left or cannot be reached, so that it is not waited for. */
  isGone(peer: PeerName): boolean
  /** The time up to `now` in which this process was not suspended. */
  awake(now: Milliseconds): Milliseconds
  /** Who has reached `end`, the round after the last one that this peer waits for. */
  endings(end: number): Endings
  /** From now on this peer trains, and does between two rounds what the others' coming and going demands. */
  follow(trainee: Trainee): Participation
  /** This peer takes part in no round after `round`; the others are told. */
  leave(round?: number): void
}

/** What a peer does between rounds because others come and go. */
export interface Participation {
  /** How many lives this peer has begun. */
  readonly life: number
  /** How far apart the models were lately. */
  readonly consensus: ConsensusEstimate | undefined
  /** Waits until this peer may begin its next round, and has the state for it. Undefined where it may begin at once. */
  ready(): Promise<void> | undefined
  /** After a round: tells others in short what the model is. Undefined where nothing is to be awaited. */
  sketch(round: number, model: Float32Array): Promise<void> | undefined
  /** After the last round: tells others the final model in short, and serves those that have not finished. */
  finish(model: Float32Array): Promise<void> | undefined
}

/** How long a peer waits for others. Times called `since` are of {@link Participants.awake}. */
export interface WaitLimits {
  /**
   * Until when messages of a round are waited for.
   *
   * @param round - whose peers are awaited
   * @param isSilent - whether nothing has arrived yet
   */
  untilReceived(
    round: { awaited(): readonly PeerName[] },
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds,
    isSilent: boolean
  ): Milliseconds
  /**
   * Until when the reply of a peer is waited for.
   *
   * @param times - how many times as long as usual
   */
  untilReplied(
    peer: PeerName,
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds,
    times: number
  ): Milliseconds
  /**
   * A wait has ended. The peers of `without` have sent nothing, but for those of `skipped`, which answered with SKIP.
   */
  ended(
    route: Pick<Route, 'round' | 'from'>,
    { without, skipped }: Pick<Waited, 'without' | 'skipped'>,
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds
  ): void
  /** For how long each peer was the only one that was waited for; empty where this is not measured. */
  readonly alone: ReadonlyMap<PeerName, Milliseconds>
}

/** Who has ended, when this peer has. */
export interface Endings {
  /** How often to check, besides when a message arrives: a report of a round is no message. */
  readonly checkEvery: Milliseconds
  /**
   * The peers whose end can be seen.
   *
   * @param announcing - those that announce it to this peer
   */
  visible(announcing: readonly PeerName[], all: readonly PeerName[]): readonly PeerName[]
  /** Whether a peer has reported that it has reached the end. */
  hasEnded(peer: PeerName): boolean
  /** Whether one of these has got nearer to its end than ever before, as far as that is seen. */
  noteProgress(peers: readonly PeerName[], hasReceived: boolean): boolean
}

/** What a peer continues from: another peer's model at the beginning of a round. */
export interface ModelState {
  readonly x: Vector
  readonly round: number
}

/** How far a peer is in a run. */
export interface TraineeRun {
  /** The seed of the run. */
  readonly seed: number
  /** How many rounds this peer has, with those of final averaging. */
  readonly rounds: number
  /** The next round. */
  readonly round: number
  /** How many rounds lie between two exchanges. */
  readonly every: number
  /** Whether the round is independent of the rounds of others, so that no peer is behind. */
  readonly isAtOwnPace: boolean
  /** How training ends. */
  readonly end: {
    /** Whether a round is one of the last of training, so that others may have ended it. */
    isNear(round: number): boolean
  }
  /** Whether a round is of final averaging. */
  isFinal(round: number): boolean
  /** The first round from this one on in which neighbours exchange; undefined if none is left. */
  nextExchange(round: number): number | undefined
  /** The next round, and the state that another peer may begin it with. */
  current(): ModelState | undefined
  /** Continues from another peer's state, from the beginning of its round or of the last. Optimisers restart. */
  continueFrom(state: ModelState): void
}

/** A peer in training, as its members see it: what they ask of it, and what they have it do. */
export interface Trainee {
  readonly run: TraineeRun
  /** Of a round. */
  readonly timeout: Milliseconds
  /** How many messages have arrived. */
  readonly messages: number
  /** Its exchanges with others. */
  readonly edges: {
    /** A peer has begun anew, without its previous state. */
    newLife(peer: PeerName, life: number): void
    /** This peer has begun anew. */
    beginLife(life: number): void
    /** While a peer pauses, it answers every sender that it does not take part. */
    pause(isPaused: boolean): void
  }
  progress(): MemberProgress
  /** Exchanges with the peers of `row` from now on; gives others its model while it may. */
  open(row: (round: number) => Mixing, mayGive: () => boolean): void
  /** Processes the messages that have arrived. */
  takeIn(): Promise<void>
  /** Processes messages. Ends once one has arrived, or at `until`. */
  wait(until: Milliseconds): Promise<void>
  /** The model of another peer, if it gives it. */
  ask(donor: PeerName): Promise<ModelState | undefined>
}
