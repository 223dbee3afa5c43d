import { InputError, type Schema, type TensorSchema } from '@murmuration/core'
import type { NamedTensor } from './safetensors.js'
import { lengthOf, unpack } from './schema.js'

/** How many tensors an error names at most. */
const listedTensors = 6

/** The tensors of a flat vector, as views. */
export function tensorsOf(schema: Schema, flat: Float32Array): readonly NamedTensor[] {
  const values = unpack(schema, flat)
  return schema.map(({ name, shape }, index) => ({ name, shape, values: values[index] }))
}

/**
 * The values of each tensor of `schema`, found among `tensors` by name and shape, whatever their order: other libraries
 * sort the tensors of a file. Nothing is copied. Throws an InputError that names what differs unless these are the
 * tensors of `schema`.
 */
export function valuesOf(schema: Schema, tensors: readonly NamedTensor[]): readonly Float32Array[] {
  const found = new Map(tensors.map((tensor) => [textOf(tensor), tensor.values]))
  const expected = new Set(schema.map(textOf))
  const values = schema.flatMap((tensor) => found.get(textOf(tensor)) ?? [])
  if (values.length === schema.length && tensors.length === schema.length && expected.size === schema.length)
    return values
  const others = tensors.filter((tensor) => !expected.has(textOf(tensor)))
  const missing = schema.filter((tensor) => !found.has(textOf(tensor)))
  throw new InputError(
    `has ${listed(others)} (${lengthOf(tensors)} parameters in all); the task has ${listed(missing)} (${lengthOf(schema)}); name the data and the module that the model was trained with`
  )
}

function textOf({ name, shape }: TensorSchema): string {
  return `${name} [${shape.join(', ')}]`
}

function listed(tensors: Schema): string {
  if (tensors.length === 0) return 'no other tensor'
  const rest = tensors.length - listedTensors
  return tensors.slice(0, listedTensors).map(textOf).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
