import { InputError, messageOf } from '@murmuration/core'
import { parseTar } from 'nanotar'
import type { Source } from '../source.js'
import { concatenated } from './bytes.js'

/** Names of the classes in the order of their numbers, from the archive's batches.meta.txt. */
const classNames = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck']

const edge = 32
const plane = edge * edge
/** A byte for the class, then the red, the green and the blue values of all pixels, row by row. */
const recordLength = 1 + 3 * plane

/**
 * The samples of CIFAR-10's binary version (Krizhevsky 2009): first the training batches, then the test batch. Throws
 * an {@link InputError} for an archive without them.
 */
export function cifarSource(name: string, archive: Uint8Array): Source {
  const records = recordsIn(name, archive)
  const count = records.length / recordLength
  const targets = Float32Array.from({ length: count }, (_, index) => records[index * recordLength])
  const invalid = targets.find((target) => target >= classNames.length)
  if (invalid !== undefined) throw new InputError(`${name}: has an image of class ${invalid}, expected one below 10`)
  return {
    count,
    inputShape: [edge, edge, 3],
    targetShape: [],
    targets,
    classes: classNames.length,
    classNames,
    preprocessing: { kind: 'image' },
    read: (index, out) => {
      const first = index * recordLength + 1
      for (let pixel = 0; pixel < plane; pixel++)
        for (let colour = 0; colour < 3; colour++)
          out[3 * pixel + colour] = records[first + colour * plane + pixel] / 255
    }
  }
}

/** The records of all batches. */
function recordsIn(name: string, archive: Uint8Array): Uint8Array {
  const batches = entriesOf(name, archive)
    .filter((entry) => /(^|\/)(data_batch_\d|test_batch)\.bin$/.test(entry.name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  if (batches.length === 0)
    throw new InputError(`${name}: has no data_batch_1.bin; the binary version of CIFAR-10 is expected`)
  const records = concatenated(batches.map(({ data = new Uint8Array() }) => data))
  if (records.length > 0 && records.length % recordLength === 0) return records
  throw new InputError(
    `${name}: its batches have ${records.length} bytes, expected a multiple of ${recordLength}; it is damaged, fetch it again`
  )
}

function entriesOf(name: string, archive: Uint8Array) {
  try {
    // The parser needs memory of its own: the archive may be a view of a larger buffer.
    return parseTar(Uint8Array.from(archive))
  } catch (error) {
    throw new InputError(`${name}: is not a tar archive: ${messageOf(error)}`)
  }
}
