import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, messageOf, OutputError } from '@murmuration/core'
import { replaceFile } from '@murmuration/results'
import { encodeSafetensors } from '@murmuration/vectors'
import { svmClassifierFile } from '@murmuration/tfjs'
import { classifierParts, labelsOf, type OpenedKernelModel, openKernelModel } from './kernel-model.js'
import { loadModel } from './load-model.js'
import type { LoadedModel } from './model-file.js'
import { openModel } from './trained.js'

/** The formats of exported models. */
export const exportFormats = ['tfjs', 'safetensors', 'onnx', 'libsvm'] as const
export type ExportFormat = (typeof exportFormats)[number]
const networkFormats = ['tfjs', 'safetensors', 'onnx'] as const

/** The destination and format of an export. */
export interface ExportOptions {
  /** A folder; created if necessary. */
  readonly out: string
  /** Default: all that express the model. */
  readonly format?: ExportFormat | undefined
  /** The module with the model, if the model was trained by one. */
  readonly task?: string | undefined
}

/**
 * Exports a saved model in formats of other libraries, each with its signature, classes and accuracy as metadata.
 * Resolves with the paths of the files. Before anything is written, throws an InputError for a file that is not a
 * model, or a model that a format cannot express. Throws an OutputError when a file cannot be written.
 */
export async function exportModel(path: string, { out, format, task }: ExportOptions): Promise<readonly string[]> {
  return writeFiles(out, await filesOf(path, format, task))
}

/** The files of an export: of a model with a kernel, or of a network. */
async function filesOf(
  path: string,
  format: ExportFormat | undefined,
  task: string | undefined
): Promise<readonly File[]> {
  const model = await loadModel(path)
  const kernelModel = task === undefined ? await openKernelModel(path, model) : undefined
  if (kernelModel !== undefined) return kernelFiles(path, format, kernelModel)
  if (format === 'libsvm')
    throw new InputError(
      `${path}: found --format libsvm, expected tfjs, safetensors or onnx: only a model with a kernel is one of LIBSVM`
    )
  return networkFiles(path, model, format, task)
}

async function kernelFiles(
  path: string,
  format: ExportFormat | undefined,
  model: OpenedKernelModel
): Promise<readonly File[]> {
  const { machine, signature } = model
  const metadata = { murmuration: JSON.stringify({ signature }) }
  const files = {
    libsvm: { name: 'model.libsvm', chunks: [machine.libsvm(labelsOf(signature))] },
    onnx: { name: 'model.onnx', chunks: [await svmClassifierFile(classifierParts(model), metadata)] }
  }
  if (format === undefined) return Object.values(files)
  if (format === 'libsvm' || format === 'onnx') return [files[format]]
  throw new InputError(
    `${path}: found --format ${format}, expected libsvm or onnx: a model with a kernel is no network`
  )
}

async function networkFiles(
  path: string,
  model: LoadedModel,
  format: Exclude<ExportFormat, 'libsvm'> | undefined,
  task: string | undefined
): Promise<readonly File[]> {
  const { facts, signature, trained } = await openModel(path, model, task)
  const about = {
    outputs: trained.outputs,
    signature,
    evaluation: facts.evaluation,
    algorithm: facts.algorithm,
    rounds: facts.rounds
  }
  const metadata = { murmuration: JSON.stringify(about) }
  const filesOf: Readonly<Record<Exclude<ExportFormat, 'libsvm'>, () => Promise<readonly File[]>>> = {
    tfjs: async () => {
      const { model, weights, layers } = await trained.layers({ murmuration: about })
      // The weights first, so that a program that finds the model finds them too.
      return [
        ...(layers === undefined ? [] : [{ name: 'layers.js', chunks: [layers] }]),
        { name: 'weights.bin', chunks: [weights] },
        { name: 'model.json', chunks: [model] }
      ]
    },
    safetensors: async () => [{ name: 'model.safetensors', chunks: encodeSafetensors(trained.tensors(), metadata) }],
    onnx: async () => [{ name: 'model.onnx', chunks: [trained.onnx(metadata)] }]
  }
  const files: File[] = []
  for (const each of format === undefined ? networkFormats : [format]) files.push(...(await filesOf[each]()))
  return files
}

async function writeFiles(out: string, files: readonly File[]): Promise<readonly string[]> {
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw new OutputError(`--out ${out}: ${messageOf(error)}`)
  })
  for (const { name, chunks } of files) await replaceFile(join(out, name), chunks)
  return files.map(({ name }) => join(out, name))
}

interface File {
  readonly name: string
  readonly chunks: readonly (string | Uint8Array)[]
}
