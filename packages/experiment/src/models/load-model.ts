import { stat } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'
import { refuseSpecialFile } from '@murmuration/data'
import { tensorsIn } from '@murmuration/vectors'
import { fill, readHeader, withFile } from '../base/tensor-file.js'
import { factsIn, type LoadedModel } from './model-file.js'

/**
 * Reads a model that `--save` wrote. Throws an InputError that names the file for anything else. Runs no code that the
 * file names.
 */
export async function loadModel(path: string): Promise<LoadedModel> {
  try {
    await refuseSpecialFile(path)
    return await withFile(path, async (file) => {
      const header = await readHeader(file)
      const facts = factsIn(header.metadata)
      const data = new Uint8Array(header.dataBytes)
      await fill(file, data)
      return { facts, tensors: tensorsIn(data, header), parameters: new Float32Array(data.buffer) }
    })
  } catch (error) {
    throw new InputError(`${path}: ${(await otherFile(path)) ?? messageOf(error)}`)
  }
}

/** A sentence for what is no file that --save could have written. */
async function otherFile(path: string): Promise<string | undefined> {
  const expected = 'expected a model that --save wrote, such as model.safetensors'
  const status = await stat(path).catch(() => undefined)
  if (status?.isDirectory()) return `found a folder, ${expected}`
  if (status === undefined) return undefined
  if (/\.ya?ml$/i.test(path)) return `found a YAML file, ${expected}`
  return /\.(csv|parquet|png|jpe?g|txt)(\.gz)?$/i.test(path) ? `found data, ${expected}` : undefined
}
