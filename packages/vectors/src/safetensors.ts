/**
 * Files in the safetensors format (huggingface.co/docs/safetensors): the length of the header as a 64-bit integer, the
 * header as JSON padded with spaces to a multiple of 8 bytes, and the tensors one after the other, little-endian,
 * without gaps. Here all are float32.
 */
import { InputError, invariant } from '@murmuration/core'
import { bodyOf } from './copy.js'
import { sizeOf } from './schema.js'

/** A tensor with its name, which is unique in a file. */
export interface NamedTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/** The position of a tensor, in bytes from the end of the header. */
export interface TensorPlace {
  readonly name: string
  readonly shape: readonly number[]
  readonly begin: number
  readonly end: number
}

/** The content of a file's header. */
export interface SafetensorsHeader {
  /** In the order of their positions. */
  readonly places: readonly TensorPlace[]
  readonly metadata: Readonly<Record<string, string>>
  /** Of all tensors. */
  readonly dataBytes: number
}

/** Bytes of the number that gives the header's length. */
export const safetensorsLengthBytes = 8

/** The longest header that readers of the format accept. */
const maxHeaderBytes = 100_000_000

/** The maximum commas and opening brackets of a header, 2^21: each may make a value, and a tensor has seven. */
const maxMarks = 2 ** 21

const metadataName = '__metadata__'

/** The header as a file begins with it, preceded by its length. Tensors follow in this order. */
export function encodeSafetensorsHeader(
  tensors: readonly Pick<NamedTensor, 'name' | 'shape'>[],
  metadata: Readonly<Record<string, string>> = {}
): Uint8Array {
  const entries = new Map<string, unknown>()
  if (Object.keys(metadata).length > 0) entries.set(metadataName, metadata)
  let begin = 0
  for (const { name, shape } of tensors) {
    invariant(
      !entries.has(name) && name !== metadataName,
      () => `found the tensor name "${name}", expected one that is not in use`
    )
    const end = begin + 4 * sizeOf(shape)
    entries.set(name, { dtype: 'F32', shape, data_offsets: [begin, end] })
    begin = end
  }
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)))
  const length = Math.ceil(json.length / 8) * 8
  const head = new Uint8Array(safetensorsLengthBytes + length).fill(0x20)
  new DataView(head.buffer).setBigUint64(0, BigInt(length), true)
  head.set(json, safetensorsLengthBytes)
  return head
}

/** A whole file as its parts, in order. The tensors are not copied. */
export function encodeSafetensors(
  tensors: readonly NamedTensor[],
  metadata: Readonly<Record<string, string>> = {}
): readonly Uint8Array[] {
  for (const { name, shape, values } of tensors)
    invariant(values.length === sizeOf(shape), () => `${name} has ${values.length} values, not [${shape}]`)
  return [encodeSafetensorsHeader(tensors, metadata), ...tensors.map(({ values }) => bodyOf(values))]
}

/**
 * The length of the header of a file of `fileBytes`, from its first 8 bytes. Throws an InputError for an impossible
 * length, before any memory is allocated.
 */
export function safetensorsHeaderLength(first: Uint8Array, fileBytes: number): number {
  if (first.byteLength < safetensorsLengthBytes || fileBytes < safetensorsLengthBytes)
    throw new InputError(`found ${fileBytes} bytes, expected at least ${safetensorsLengthBytes}`)
  const length = new DataView(first.buffer, first.byteOffset, safetensorsLengthBytes).getBigUint64(0, true)
  const max = Math.min(maxHeaderBytes, fileBytes - safetensorsLengthBytes)
  if (length > max) throw new InputError(`found a header of ${length} bytes, expected at most ${max}`)
  return Number(length)
}

/**
 * Reads a header.
 *
 * @param json - without the preceding length
 * @throws InputError unless the tensors are float32 and fill the rest of a file of `fileBytes` exactly, one after the
 *   other
 */
export function decodeSafetensorsHeader(json: Uint8Array, fileBytes: number): SafetensorsHeader {
  checkMarks(json)
  const { [metadataName]: metadata, ...tensors } = recordOf(parsed(json), 'the header')
  const places = Object.entries(tensors).map(([name, entry]) => placeOf(name, recordOf(entry, `tensor "${name}"`)))
  places.sort((left, right) => left.begin - right.begin || left.end - right.end)
  const dataBytes = places.reduce((end, { name, begin, end: next }) => {
    if (begin !== end) throw new InputError(`tensor "${name}" begins at byte ${begin}, expected ${end}`)
    return next
  }, 0)
  const expected = safetensorsLengthBytes + json.byteLength + dataBytes
  if (fileBytes !== expected) throw new InputError(`found ${fileBytes} bytes, expected ${expected}`)
  return { places, metadata: textsOf(metadata), dataBytes }
}

/** The tensors of a header as views of `data`, which must be aligned to 4 bytes. */
export function tensorsIn(data: Uint8Array, { places, dataBytes }: SafetensorsHeader): readonly NamedTensor[] {
  invariant(data.byteLength === dataBytes, () => `${data.byteLength} bytes for tensors of ${dataBytes}`)
  return places.map(({ name, shape, begin, end }) => {
    const values = new Float32Array(data.buffer, data.byteOffset + begin, (end - begin) / 4)
    return { name, shape, values }
  })
}

/** Before parsing: a header of 80 MB made 4 GB of lists. */
function checkMarks(json: Uint8Array): void {
  let marks = 0
  for (let at = 0; at < json.length; at++) if (json[at] === comma || json[at] === bracket || json[at] === brace) marks++
  if (marks > maxMarks)
    throw new InputError(`found a header with ${marks} commas and opening brackets, expected at most ${maxMarks}`)
}

const comma = 0x2c
const bracket = 0x5b
const brace = 0x7b

function placeOf(
  name: string,
  { dtype, shape, data_offsets: offsets }: Readonly<Record<string, unknown>>
): TensorPlace {
  if (dtype !== 'F32') throw new InputError(`tensor "${name}": found dtype ${JSON.stringify(dtype)}, expected "F32"`)
  if (!isCounts(shape)) throw new InputError(`tensor "${name}": found no shape, expected a list of whole numbers`)
  if (!isCounts(offsets) || offsets.length !== 2)
    throw new InputError(`tensor "${name}": found no data_offsets, expected two whole numbers`)
  const [begin, end] = offsets
  const bytes = 4 * sizeOf(shape)
  if (end - begin !== bytes)
    throw new InputError(
      `tensor "${name}": found ${end - begin} bytes for the shape [${shape.join(', ')}], expected ${bytes}`
    )
  return { name, shape, begin, end }
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((element) => Number.isSafeInteger(element) && (element as number) >= 0)
}

function textsOf(metadata: unknown): Readonly<Record<string, string>> {
  const texts = metadata === undefined ? {} : recordOf(metadata, 'the metadata')
  for (const [name, value] of Object.entries(texts))
    if (typeof value !== 'string') throw new InputError(`metadata "${name}": found no text`)
  return texts as Record<string, string>
}

function recordOf(value: unknown, part: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InputError(`${part} is not a JSON object`)
}

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch {
    throw new InputError('the header is not JSON')
  }
}
