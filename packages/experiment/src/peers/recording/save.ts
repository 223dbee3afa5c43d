import { access, constants, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { InputError, messageOf, OutputError, type Schema } from '@murmuration/core'
import { replacePrivateFile } from '@murmuration/results'
import type { RunEvent } from '../../base/events.js'
import { modelFile, type ModelFacts } from '../../models/model-file.js'

/** Options for saving. */
export interface SaveOptions {
  /** The file for the model; absent to save none. */
  readonly save?: string
  readonly emit: (event: RunEvent) => void
}

/**
 * Checks, before hours of training, that a model can be written to `path` afterwards. Leaves all files unchanged.
 * Throws an InputError if not.
 */
export async function checkSave(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile())
    throw new InputError(`--save ${path}: found a folder or a device, expected a file`)
  const probe = `${path}.${process.pid}.check`
  try {
    if (found !== undefined) await access(path, constants.W_OK)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
  } catch (error) {
    throw new InputError(`--save ${path}: cannot write to ${dirname(path)}: ${messageOf(error)}`)
  }
}

/**
 * Writes a model in the safetensors format, atomically, if `save` is given. A model that cannot be written there is
 * written to the system's folder for temporary files. Returns the error, if any.
 */
export async function saveModel(
  { save, emit }: SaveOptions,
  schema: Schema,
  parameters: Float32Array,
  facts: ModelFacts
): Promise<OutputError | undefined> {
  if (save === undefined) return undefined
  const file = modelFile(schema, parameters, facts)
  const problem = await written(save, file)
  if (problem === undefined) return undefined
  const fallback = join(await mkdtemp(join(tmpdir(), 'murmur-')), 'model.safetensors')
  const isKept = (await written(fallback, file)) === undefined
  const outcome = isKept ? `the model is in ${fallback} instead` : `neither can ${fallback}: the model is lost`
  const error = new OutputError(`--save ${problem.message}; ${outcome}`)
  emit({ kind: 'note', text: error.message })
  return error
}

async function written(path: string, file: readonly Uint8Array[]): Promise<OutputError | undefined> {
  try {
    await replacePrivateFile(path, file)
    return undefined
  } catch (error) {
    if (error instanceof OutputError) return error
    throw error
  }
}
