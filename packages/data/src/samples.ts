import type { Preprocessing } from '@murmuration/core'
import type { KnownSetName } from './files/known-sets.js'

/** Samples with what is to be learned from them, flat and in memory. */
export interface Samples {
  readonly count: number
  /** The shape of one sample's input; `[28, 28, 1]` for a picture of 28 × 28 pixels. */
  readonly inputShape: readonly number[]
  /** `count` inputs, one after the other. */
  readonly inputs: Float32Array
  /** The shape of one sample's target; empty for one class number or one real number. */
  readonly targetShape: readonly number[]
  /** `count` targets, one after the other: class numbers 0 … `classes` − 1, or real values. */
  readonly targets: Float32Array
  /** How many classes there are; absent when the targets are real values. */
  readonly classes?: number
  /** What the classes are called, where they are words. */
  readonly classNames?: readonly string[]
  /** What made the inputs of what the files hold; numbers as they are when absent. */
  readonly preprocessing?: Preprocessing
}

/** What samples have to fit: classes count as these number them, columns have their order, and pictures are as large. */
export type Fit = Pick<Samples, 'inputShape' | 'classes' | 'classNames' | 'preprocessing'>

/** One peer's training samples, and the test samples, which are the same for all peers. */
export interface LocalData {
  readonly train: Samples
  readonly test: Samples
  /**
   * How many training samples each peer has, in the order of `LocalDataOptions.peers`. When the local data are the union of all,
   * `train` holds the peers' shards one after the other in that order. Of local data only the peer's own count is known.
   */
  readonly shardSizes: readonly number[]
  /** A checksum of the data that the peers divide, when there is one to compare: drawn data are known by their options. */
  readonly fingerprint?: string
}

/** How samples are split and divided among peers, and whose are wanted. JSON: it travels to worker threads. */
export interface SplitOptions {
  /** The part of the samples held back for testing, between 0 and 1; 0.2 for 80 % to train and 20 % to test. */
  readonly testFraction: number
  /** A test set in common, in place of `testFraction`. Nothing is held back then, and the test set says which classes there are. */
  readonly test?: TestDescription
  /** 'numbers' for targets that are real values; classes by default. */
  readonly targets?: 'classes' | 'numbers'
  readonly partition: PartitionDescription
  /** Of a text: how many characters a sample has; 64 by default. */
  readonly context?: number
  /** What a model takes that was trained, where the test set is to fit it. */
  readonly like?: Fit
  /** All peers, in the order of their names. */
  readonly peers: readonly string[]
  /** Whose local data; absent for the union of all. */
  readonly self?: string
  readonly seed: number
}

/** The same, and of which data. */
export interface LocalDataOptions extends SplitOptions {
  readonly data: DataDescription
}

/**
 * How many samples are drawn, the test samples among them; or, so that it need not be changed with the number of peers, how
 * many are drawn for each peer to train on when all get as many. One of the two.
 */
export interface DrawnCount {
  readonly samples?: number
  readonly samplesPerPeer?: number
}

/** Where samples come from. */
export type DataDescription =
  | ({
      /** Pictures of handwritten-like digits, drawn by the seed. */
      readonly kind: 'digits'
      /** The edge of a picture in pixels, 1 to 28; 28 by default. Smaller ones are those of 28 with their pixels averaged. */
      readonly size?: number
    } & DrawnCount)
  | ({
      /**
       * Two classes of normal draws with the same spread, drawn by the seed, whose means are so near to each other that the
       * best that anybody can do is to tell 93.3 % apart. 4,601 samples unless a number is given.
       */
      readonly kind: 'gaussians'
      /** How many numbers a sample has; 57 by default. */
      readonly features?: number
    } & DrawnCount)
  | ({
      /** Windows of a text of short sentences, drawn by the seed. */
      readonly kind: 'sentences'
    } & DrawnCount)
  | {
      /** A data set that is fetched by its name, once, and kept. */
      readonly kind: 'known'
      readonly name: KnownSetName
    }
  | {
      /** A folder, files, or an URL: IDX files (gzip too), CSV, Parquet, the archive of CIFAR-10, a folder of pictures for each class, or texts (.txt); told by their names and contents. */
      readonly kind: 'files'
      readonly path: string | readonly string[]
      /** SHA-256 in hex of each file, by file name; checked when given, needed for an URL. */
      readonly sha256?: Readonly<Record<string, string>>
      /** Of a folder of pictures: the edge in pixels of the square that all are scaled to. */
      readonly size?: number
      /** Whether every file needs a SHA-256, also one that is on this machine. */
      readonly mustMatch?: boolean
    }

/** A test set that all peers have in common: files whose SHA-256 are known, so that it is the same one everywhere. */
export interface TestDescription {
  /** A folder, files, or an URL. */
  readonly path: string | readonly string[]
  /** Of a folder of pictures: the edge in pixels of the square that all are scaled to. */
  readonly size?: number
  /** SHA-256 in hex of each file, by file name; of pictures by `CLASS/FILE`. */
  readonly sha256: Readonly<Record<string, string>>
}

/** How training samples are shared out among the peers. */
export type PartitionDescription =
  /** Shuffled, equal parts; when the count does not divide, the rest is left out so that all have the same. */
  | { readonly kind: 'equal' }
  /** Per class, fractions drawn from Dirichlet(alpha): the smaller alpha, the more uneven. */
  | { readonly kind: 'dirichlet'; readonly alpha: number }
  /** Sorted by label, then equal parts: each peer sees few classes. */
  | { readonly kind: 'label' }
  /** Nothing is shared out: all samples that a machine has are its peer's own. */
  | { readonly kind: 'local' }
