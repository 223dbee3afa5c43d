import type { Prediction } from '@murmuration/experiment/models'
import type { PeerSummary } from '@murmuration/experiment/peer'

/** What the run of a link is; known before anything is joined. */
export interface RunCard {
  /** The id of the run's key. */
  readonly run: string
  /** The peer's name that the invitation gives this tab. */
  readonly place: string
  /** When the invitation expires, in milliseconds since 1970. */
  readonly expires: number
  /** What is learned, as a phrase. */
  readonly task: string
  readonly model: string
  /** How many numbers the model has; absent where this is known only with the data. */
  readonly parameters?: number
  /** The algorithm's title. */
  readonly algorithm: string
  readonly rounds: number
  readonly peers: readonly string[]
  readonly samples: SampleNeed
  /** What leaves this machine, a sentence each. */
  readonly leaves: readonly string[]
}

/** The data that a person gives to a run: none where the run has its own. */
export type SampleNeed =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'table' | 'images' | 'text'
      /** The names of the classes, where the run fixes them. */
      readonly classes?: readonly string[]
      /** The columns of a table that the run uses. */
      readonly columns?: readonly string[]
      /** The name of the file, or the folder, of the common test set, where the run has one: it is given, too. */
      readonly test?: string
    }

/** A file that a person gave: dropped on the page, or chosen. */
export interface DroppedFile {
  /** Relative, with `/`: the folder of an image is its class. */
  readonly path: string
  readonly file: Blob
}

/** Where this tab is in a run. */
export type RunPhase = 'connecting' | 'admitted' | 'loading' | 'training' | 'waiting' | 'finished' | 'left' | 'ended'

/** A peer of the run, as this tab sees it. */
export interface PeerView {
  readonly name: string
  readonly state: string
  /** The kind of connection to it, if it is a neighbour: WebRTC, WebSocket, … */
  readonly link?: string
  /** Bytes since the start, with overhead. */
  readonly sent: number
  readonly received: number
}

/** What happens in a run, from this tab's point of view. */
export type RunEvent =
  | { readonly kind: 'phase'; readonly phase: RunPhase; readonly text: string }
  | {
      readonly kind: 'step'
      readonly round: number
      readonly rounds: number
      readonly loss: number
      /** Of the test samples, 0 … 1; only from time to time, and for classes. */
      readonly accuracy?: number
    }
  | { readonly kind: 'peers'; readonly peers: readonly PeerView[] }
  | { readonly kind: 'note'; readonly text: string }

/** How a peer's run ended: the last line of `murmur join --json`. */
export type Summary = PeerSummary

export type { Prediction } from '@murmuration/experiment/models'

/** What this tab signs and computes with. */
export interface TabDevice {
  /** WebCrypto's keys cannot be read; a seed is data of the page's origin. */
  readonly key: 'webcrypto' | 'seed'
  /** As asked for: what computes in the end is in the summary. */
  readonly backend: string
}

/** A run that this tab was invited to. */
export interface Run {
  readonly card: RunCard
  readonly device: TabDevice
  /**
   * Joins and trains to the end of the run. Rejects with an Error whose message is one sentence; nothing continues to
   * run then.
   */
  join(samples?: readonly DroppedFile[]): Promise<Summary>
  /** Leaves the run, and says so to the others. */
  leave(): Promise<void>
  /** The outputs of the model as it is now for one file: an image, or a table with one row. */
  predict(file: Blob, name: string): Promise<Prediction>
  /** The model as it is now, as a file that `murmur evaluate` and `murmur predict` read. */
  model(): Promise<Blob>
  /** Calls `listener` with each event; returns what stops that. */
  on(listener: (event: RunEvent) => void): () => void
}

/** How a tab takes part. */
export interface RunOptions {
  /** Aborted to give up looking for the run. */
  readonly signal?: AbortSignal
  /** Told what is tried, and why it did not work, while the run is looked for. */
  readonly onSearch?: (text: string) => void
}
