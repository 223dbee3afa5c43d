import { invariant, type Schema, type TensorSchema } from '@murmuration/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** The number of elements of a tensor of this shape; 1 for a scalar, whose shape is empty. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1)
}

/** The number of elements of all tensors of `schema`: the length of the flat vector. */
export function lengthOf(schema: Schema): number {
  return schema.reduce((sum, tensor) => sum + sizeOf(tensor.shape), 0)
}

/** Where each tensor begins in the flat vector, counted in elements. */
export function offsetsOf(schema: Schema): readonly number[] {
  let next = 0
  return schema.map((tensor) => {
    const offset = next
    next += sizeOf(tensor.shape)
    return offset
  })
}

/** The tensors' values, one after the other, as one flat vector. Throws when one does not fit its shape. */
export function pack(schema: Schema, tensors: readonly ArrayLike<number>[], out?: Float32Array): Float32Array {
  invariant(tensors.length === schema.length, () => `${tensors.length} tensors for a schema of ${schema.length}`)
  const flat = out ?? new Float32Array(lengthOf(schema))
  const offsets = offsetsOf(schema)
  for (const [index, tensor] of tensors.entries()) {
    const { name, shape } = schema[index]
    invariant(tensor.length === sizeOf(shape), () => `${name} has ${tensor.length} values, not [${shape}]`)
    flat.set(tensor, offsets[index])
  }
  return flat
}

/** Views of the flat vector, one per tensor, without copying. */
export function unpack(schema: Schema, flat: Float32Array): Float32Array[] {
  invariant(flat.length === lengthOf(schema), () => `${flat.length} values for a schema of ${lengthOf(schema)}`)
  const offsets = offsetsOf(schema)
  return schema.map((tensor, index) => flat.subarray(offsets[index], offsets[index] + sizeOf(tensor.shape)))
}

/** SHA-256 of the elements' bits (little-endian), in hex. */
export function hashVector(vector: Float32Array): string {
  return bytesToHex(sha256(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)))
}

/** A sentence that says where two schemas differ, or `undefined` when they are the same. */
export function differenceOf(ours: Schema, theirs: Schema): string | undefined {
  for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
    const ourTensor = ours[index]
    const theirTensor = theirs[index]
    if (describe(ourTensor) !== describe(theirTensor)) {
      return `tensor ${index + 1} is ${describe(ourTensor)} here and ${describe(theirTensor)} there`
    }
  }
  return undefined
}

function describe(tensor: TensorSchema | undefined): string {
  if (tensor === undefined) return 'missing'
  const { name, shape, kind, momentum } = tensor
  const words = [...(kind === undefined ? [] : [kind]), ...(momentum === undefined ? [] : [`momentum ${momentum}`])]
  return [`"${name}" [${shape.join(', ')}]`, ...words].join(', ')
}

/** SHA-256 of a text in UTF-8, in hex. */
export function hashText(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)))
}
