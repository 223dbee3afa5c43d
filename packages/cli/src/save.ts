import { open, rm, stat, writeFile } from 'node:fs/promises'
import { InputError, messageOf, type Schema } from '@murmuration/core'
import { safetensors } from './safetensors.js'

/**
 * Makes sure, before hours of training, that a model can be written to `path` after them. Leaves everything as it is.
 * Throws an InputError when it cannot.
 */
export async function checkSave(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) throw new InputError(`--save ${path}: this is no file; name another`)
  try {
    await (await open(path, 'a')).close()
    if (found === undefined) await rm(path)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** Writes a model in the safetensors format. Throws an InputError when that fails. */
export async function saveModel(path: string, schema: Schema, parameters: Float32Array): Promise<void> {
  try {
    await writeFile(path, safetensors(schema, parameters))
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): InputError {
  return new InputError(`--save ${path}: the model cannot be written there: ${messageOf(error)}`)
}
