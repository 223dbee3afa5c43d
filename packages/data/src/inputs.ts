import { InputError, type ModelSignature } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import { readData } from './files/data-file.js'
import { beginsAsLibsvm } from './files/libsvm-content.js'
import { readParquet } from './files/parquet.js'
import { maxTableBytes, type Table, type TableFile } from './files/table.js'
import { csvName, isTable, libsvmName, parquetName } from './files/table-names.js'
import { inputColumns, tableInputs } from './files/table-inputs.js'
import { fitted } from './images/fit.js'
import { applyScale } from './scaling.js'

/** The input of one sample, and its position: a file, or a file and its line. */
export interface ModelInput {
  readonly from: string
  readonly values: Float32Array
}

/**
 * The inputs in a file, prepared like the model's training data: an image, PNG or JPEG, or the rows of a CSV file, also
 * packed, a Parquet file or one in LIBSVM's format. Throws an {@link InputError} that names the file, and the line, for
 * what the model cannot take.
 */
export async function inputsIn(path: string, signature: ModelSignature): Promise<readonly ModelInput[]> {
  const bytes = await readData({ name: path, path }, { limit: maxTableBytes })
  const { inputShape, preprocessing } = signature
  if (preprocessing.kind === 'text')
    throw new InputError(`${path}: the model continues texts; give the beginning of one with --prompt`)
  if (preprocessing.kind === 'image') {
    if (isTable(path))
      throw new InputError(
        `${path}: the model takes images of ${inputShape.slice(0, 2).join(' × ')} pixels; give PNG or JPEG files`
      )
    const { decodeImage } = await import('./images/decode.js')
    const pixels = fitted(decodeImage(path, bytes), inputShape)
    return [{ from: path, values: new Float32Array(pixels.length).map((_, index) => pixels[index] / 255) }]
  }
  const table = await tableIn({ name: path, bytes }, sizeOf(inputShape), preprocessing.names)
  const inputs = tableInputs(table)
  const { scale } = preprocessing
  if (scale !== undefined) for (const { values } of inputs) applyScale(scale, values)
  return inputs
}

/** The rows of a table with `length` inputs. @param names - of the columns in training, if they had some */
async function tableIn(file: TableFile, length: number, names: readonly string[] | undefined): Promise<Table> {
  const { name, bytes } = file
  const columns = inputColumns({ length, names })
  if (parquetName.test(name)) return readParquet(file, columns)
  if (csvName.test(name)) {
    const { readCsvInputs } = await import('./files/csv.js')
    return readCsvInputs(file, columns, names)
  }
  if (libsvmName.test(name) || beginsAsLibsvm(bytes)) {
    const { libsvmInputs } = await import('./files/libsvm.js')
    return libsvmInputs(file, length)
  }
  throw new InputError(
    `${name}: the model takes rows of ${length} numbers; give a .csv, .libsvm, .svm or .svmlight file, each also as .gz, or a .parquet file`
  )
}
