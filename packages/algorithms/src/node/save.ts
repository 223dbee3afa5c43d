/**
 * A state as bytes: the length of its form, the form as JSON, then all numbers as float64 and all vectors as float32, little-endian, in
 * the order of the form.
 */
import { InputError } from '@murmuration/core'
import { perPeer, type State } from '../record.js'
import { type Arena, isVector } from './vector.js'

interface Form {
  readonly [name: string]: Form | number | 'number'
}

function formOf(tree: State): Form {
  const form: Record<string, Form | number | 'number'> = {}
  for (const [name, value] of Object.entries(tree)) {
    form[name] = typeof value === 'number' ? 'number' : isVector(value) ? value.length : formOf(value)
  }
  return form
}

function sizeOf(form: Form): number {
  return Object.values(form).reduce<number>(
    (sum, part) => sum + (part === 'number' ? 8 : typeof part === 'number' ? 4 * part : sizeOf(part)),
    0
  )
}

/** The state as bytes. */
export function pack(tree: State): Uint8Array {
  const form = formOf(tree)
  const header = new TextEncoder().encode(JSON.stringify(form))
  const bytes = new Uint8Array(4 + header.length + sizeOf(form))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, header.length, true)
  bytes.set(header, 4)
  let at = 4 + header.length
  const write = (value: State[string]): void => {
    if (typeof value === 'number') {
      view.setFloat64(at, value, true)
      at += 8
    } else if (isVector(value)) {
      for (const number of value.values) {
        view.setFloat32(at, number, true)
        at += 4
      }
    } else for (const part of Object.values(value)) write(part)
  }
  write(tree)
  return bytes
}

/** The state that {@link pack} made bytes of. Throws an InputError when it did not. */
export function unpack(bytes: Uint8Array, arena: Arena): State {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.byteLength < 4 ? Number.POSITIVE_INFINITY : 4 + view.getUint32(0, true)
  const form = end <= bytes.byteLength ? formIn(bytes.subarray(4, end)) : undefined
  const size = form === undefined ? 0 : end + sizeOf(form)
  if (form === undefined || size !== bytes.byteLength) {
    throw new InputError(`found ${bytes.byteLength} bytes that are no saved state, expected what "save" gave`)
  }
  let at = end
  const read = (part: Form): State => {
    const tree = perPeer<State[string]>()
    for (const [name, value] of Object.entries(part)) tree[name] = readPart(value)
    return tree
  }
  const readPart = (part: Form[string]): State[string] => {
    if (typeof part === 'object') return read(part)
    const start = at
    at += part === 'number' ? 8 : 4 * part
    if (part === 'number') return view.getFloat64(start, true)
    return arena.compute(part, (out) => {
      for (let i = 0; i < part; i++) out[i] = view.getFloat32(start + 4 * i, true)
    })
  }
  return read(form)
}

function formIn(bytes: Uint8Array): Form | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Form
  } catch {
    return undefined
  }
}
