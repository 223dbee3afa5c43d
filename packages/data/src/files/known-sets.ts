import { InputError, messageOf } from '@murmuration/core'
import { isBrowser } from '@murmuration/platform'
import { type DownloadLimits, defaultLimits, downloadFromMirrors } from '#data/files/download.js'
import type { DataFile } from './data-file.js'

/** A data set that is fetched by its name. */
export interface KnownSet {
  /** URLs of folders with the files, tried in this order. */
  readonly mirrors: readonly string[]
  /** SHA-256 in hex of each file, by file name. */
  readonly sha256: Readonly<Record<string, string>>
}

const mnistMirrors = [
  'https://ossci-datasets.s3.amazonaws.com/mnist/',
  'https://storage.googleapis.com/cvdf-datasets/mnist/'
]

const mnistTest = {
  't10k-images-idx3-ubyte.gz': '8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6',
  't10k-labels-idx1-ubyte.gz': 'f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6'
}

/**
 * The data sets that have a name. The checksums are those of TensorFlow Datasets (its files `url_checksums/mnist.txt`,
 * `url_checksums/fashion_mnist.txt` and `url_checksums/cifar10.txt`); that of tiny-shakespeare belongs to the file on
 * its mirrors.
 */
export const knownSets = {
  /** 70,000 handwritten digits (LeCun, Cortes, Burges). */
  'mnist': {
    mirrors: mnistMirrors,
    sha256: {
      'train-images-idx3-ubyte.gz': '440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609',
      'train-labels-idx1-ubyte.gz': '3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c',
      ...mnistTest
    }
  },
  /** Only the 10,000 digits of MNIST's test set: a small download. */
  'mnist-t10k': { mirrors: mnistMirrors, sha256: mnistTest },
  /** 70,000 images of clothes (Xiao, Rasul, Vollgraf, arXiv 1708.07747). */
  'fashion-mnist': {
    mirrors: [
      'https://fashion-mnist.s3.eu-central-1.amazonaws.com/',
      'https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/'
    ],
    sha256: {
      'train-images-idx3-ubyte.gz': '3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84',
      'train-labels-idx1-ubyte.gz': 'a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845',
      't10k-images-idx3-ubyte.gz': '346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073',
      't10k-labels-idx1-ubyte.gz': '67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5'
    }
  },
  /**
   * 60,000 photographs of ten classes, 32 × 32 in colour (Krizhevsky 2009, "Learning multiple layers of features from
   * tiny images").
   */
  'cifar-10': {
    mirrors: [
      'https://www.cs.toronto.edu/~kriz/',
      'https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/'
    ],
    sha256: { 'cifar-10-binary.tar.gz': 'c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd' }
  },
  /** 1.1 million characters of Shakespeare's plays, 65 different ones (Karpathy 2015, github.com/karpathy/char-rnn). */
  'tiny-shakespeare': {
    mirrors: [
      'https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/',
      'https://cdn.jsdelivr.net/gh/karpathy/char-rnn@master/data/tinyshakespeare/'
    ],
    sha256: { 'input.txt': '86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed' }
  }
} as const satisfies Readonly<Record<string, KnownSet>>

/** A name of a known data set. */
export type KnownSetName = keyof typeof knownSets

/** All names of known data sets. */
export const knownSetNames = Object.keys(knownSets) as readonly KnownSetName[]

/**
 * The files of a known set, from the cache or a mirror. Throws an {@link InputError} that says what to do when there is
 * no network.
 */
export async function fetchKnownSet(
  name: string,
  { mirrors, sha256 }: KnownSet,
  limits: DownloadLimits = defaultLimits()
): Promise<readonly DataFile[]> {
  try {
    return await downloadFromMirrors(mirrors, sha256, limits)
  } catch (error) {
    if (isBrowser) throw error
    throw new InputError(
      `the data set ${name} cannot be fetched: ${messageOf(error)}. Without a network, fetch ${Object.keys(sha256).join(', ')} ` +
        'on another machine and give the folder with these files as data, such as --data ./my-folder'
    )
  }
}
