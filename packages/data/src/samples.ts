import type { Preprocessing, Scale } from '@murmuration/core'
import type { Checksums } from './files/checksums.js'
import type { KnownSetName } from './files/known-sets.js'

/** Samples with their targets, flat and in memory. */
export interface Samples {
  readonly count: number
  /** The shape of one sample's input; `[28, 28, 1]` for an image of 28 × 28 pixels. */
  readonly inputShape: readonly number[]
  /** `count` inputs, one after the other. */
  readonly inputs: Float32Array
  /** One sample's input: of samples whose inputs are drawn when they are first used. */
  inputOf?(sample: number): Float32Array
  /** The shape of one sample's target; empty for one class number or one real number. */
  readonly targetShape: readonly number[]
  /** `count` targets, one after the other: class numbers 0 … `classes` − 1, or real values. */
  readonly targets: Float32Array
  /** The number of classes; absent when the targets are real values. */
  readonly classes?: number
  /** The names of the classes, if they have any. */
  readonly classNames?: readonly string[]
  /** How the inputs were prepared from the files; absent for unchanged numbers. */
  readonly preprocessing?: Preprocessing
  /** What users should know about the columns of a table that were read. */
  readonly remark?: string
  /**
   * The columns of a table with values that training cannot bear, and what to do: sentences about inputs and target.
   */
  readonly unscaled?: { readonly inputs?: string; readonly target?: string }
}

/** What samples have to fit: the numbers of the classes, the order of the columns, the size of images. */
export type Fit = Pick<Samples, 'inputShape' | 'classes' | 'classNames' | 'preprocessing'>

/** One peer's training samples, and the test samples, which are the same for all peers. */
export interface LocalData {
  readonly train: Samples
  readonly test: Samples
  /**
   * How many training samples each peer has, in the order of `LocalDataOptions.peers`. When this is the union of all,
   * `train` holds the peers' shards one after the other in that order. With partition 'local', only the peer's own
   * count is known.
   */
  readonly shardSizes: readonly number[]
  /**
   * A checksum of the data that the peers divide, where it must be compared: drawn data are determined by their
   * options.
   */
  readonly fingerprint?: string
}

/** How samples are split and divided among peers, and which peer's are wanted. JSON: it is sent to worker threads. */
export interface SplitOptions {
  /** The fraction of the samples held back for testing, between 0 and 1; 0.2 for 80 % to train and 20 % to test. */
  readonly testFraction: number
  /**
   * A common test set, in place of `testFraction`. Nothing is held back then, and the test set determines the classes.
   */
  readonly test?: TestDescription
  /** 'numbers' for targets that are real values; classes by default. */
  readonly targets?: 'classes' | 'numbers'
  readonly partition: PartitionDescription
  /**
   * For tables: scales the inputs. 'standard' takes means and deviations of all training samples or, with partition
   * 'local', of the common test set: all peers have the same.
   */
  readonly scale?: 'standard' | Scale
  /** For texts: the number of characters in a sample; 64 by default. */
  readonly context?: number
  /** The input of a trained model that the test set has to fit. */
  readonly like?: Fit
  /** All peers, in the order of their names. */
  readonly peers: readonly string[]
  /** The peer that owns the wanted local data; absent for the union of all. */
  readonly self?: string
  readonly seed: number
}

/** The same, with the data. */
export interface LocalDataOptions extends SplitOptions {
  readonly data: DataDescription
}

/**
 * How many samples are drawn, test samples included; or, independently of the number of peers, how many training
 * samples are drawn for each peer when all get the same number. One of the two.
 */
export interface DrawnCount {
  readonly samples?: number
  readonly samplesPerPeer?: number
}

/** The source of samples. */
export type DataDescription =
  | ({
      /** Images of handwritten-like digits, drawn from the seed. */
      readonly kind: 'digits'
      /**
       * The edge of an image in pixels, 1 to 28; 28 by default. Smaller ones are those of 28 with their pixels
       * averaged.
       */
      readonly size?: number
    } & DrawnCount)
  | ({
      /**
       * Two classes of normal draws with the same spread, drawn from the seed. Their means are so close that the best
       * classifier is right for 93.3 %. 4,601 samples unless a number is given.
       */
      readonly kind: 'gaussians'
      /** How many numbers a sample has; 57 by default. */
      readonly features?: number
    } & DrawnCount)
  | ({
      /** Windows of a text of short sentences, drawn from the seed. */
      readonly kind: 'sentences'
    } & DrawnCount)
  | {
      /** A data set that is fetched by its name, once, and cached. */
      readonly kind: 'known'
      readonly name: KnownSetName
    }
  | {
      /**
       * A folder, files, or an URL: IDX files (gzip too), CSV, Parquet, LIBSVM's text format, the archive of CIFAR-10,
       * a folder of images for each class, or texts (.txt); recognised by their names and contents.
       */
      readonly kind: 'files'
      readonly path: string | readonly string[]
      /** Checked when given; those of each file are needed for an URL. */
      readonly sha256?: Checksums
      /** For a folder of images: the edge in pixels of the square to which all are scaled. */
      readonly size?: number
      /** For tables: the name of the target's column, or `first` or `last`. */
      readonly target?: string
      /** For tables: the names of columns that are not read. */
      readonly ignore?: readonly string[]
      /** Whether every file needs a SHA-256, even one on this machine. */
      readonly mustMatch?: boolean
    }

/** A test set that all peers share: files with a given SHA-256, so that it is the same everywhere. */
export interface TestDescription {
  /** A folder, files, or an URL. */
  readonly path: string | readonly string[]
  /** For a folder of images: the edge in pixels of the square to which all are scaled. */
  readonly size?: number
  /** For tables: the name of the target's column, or `first` or `last`. */
  readonly target?: string
  /** For tables: the names of columns that are not read. */
  readonly ignore?: readonly string[]
  /** Needed: where there is none, opening the test set fails with the one to write. */
  readonly sha256?: Checksums | undefined
}

/** How training samples are divided among the peers. */
export type PartitionDescription =
  /** Shuffled, equal parts; the remainder of the division is omitted so that all have the same number. */
  | { readonly kind: 'equal' }
  /** Per class, fractions drawn from Dirichlet(alpha): the smaller alpha, the more uneven. */
  | { readonly kind: 'dirichlet'; readonly alpha: number }
  /** Sorted by label, then equal parts: each peer sees few classes. */
  | { readonly kind: 'label' }
  /** Nothing is divided: all samples on a machine belong to its peer. */
  | { readonly kind: 'local' }
