import { InputError, type ModelSignature } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import { readData } from './files/data-file.js'
import { readParquet } from './files/parquet.js'
import { maxTableBytes } from './files/table.js'
import { inputColumns, tableInputs } from './files/table-inputs.js'
import { fitted } from './images/fit.js'
import { applyScale } from './scaling.js'

const tableName = /\.(csv(\.gz)?|parquet)$/i
const parquetName = /\.parquet$/i

/** The input of one sample, and its position: a file, or a file and its line. */
export interface ModelInput {
  readonly from: string
  readonly values: Float32Array
}

/**
 * The inputs in a file, prepared like the model's training data: an image, PNG or JPEG, or the rows of a CSV file, also
 * packed, or a Parquet file. Throws an {@link InputError} that names the file, and the line, for what the model cannot
 * take.
 */
export async function inputsIn(path: string, signature: ModelSignature): Promise<readonly ModelInput[]> {
  const bytes = await readData({ name: path, path }, { limit: maxTableBytes })
  const { inputShape, preprocessing } = signature
  if (preprocessing.kind === 'text')
    throw new InputError(`${path}: the model continues texts; give the beginning of one with --prompt`)
  if (preprocessing.kind === 'image') {
    if (tableName.test(path))
      throw new InputError(
        `${path}: the model takes images of ${inputShape.slice(0, 2).join(' × ')} pixels; give PNG or JPEG files`
      )
    const { decodeImage } = await import('./images/decode.js')
    const pixels = fitted(decodeImage(path, bytes), inputShape)
    return [{ from: path, values: new Float32Array(pixels.length).map((_, index) => pixels[index] / 255) }]
  }
  if (!tableName.test(path))
    throw new InputError(
      `${path}: the model takes rows of ${sizeOf(inputShape)} numbers; give a .csv, a .csv.gz or a .parquet file`
    )
  const file = { name: path, bytes }
  const { names, scale } = preprocessing
  const columns = inputColumns({ length: sizeOf(inputShape), names })
  const { readCsvInputs } = await import('./files/csv.js')
  const table = parquetName.test(path) ? await readParquet(file, columns) : readCsvInputs(file, columns, names)
  const inputs = tableInputs(table)
  if (scale !== undefined) for (const { values } of inputs) applyScale(scale, values)
  return inputs
}
