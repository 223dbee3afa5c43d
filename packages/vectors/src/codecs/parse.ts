import { InputError } from '@murmuration/core'
import type { Codec, CodecKind } from './codec.js'
import { codecKinds } from './registry.js'

const wordOf = ({ name, parameter }: CodecKind) => (parameter === undefined ? name : `${name}:${parameter.example}`)

/** The names of codecs as training files write them; where there is a parameter, with an example of it. */
export const codecWords: readonly string[] = codecKinds.map(wordOf)

/** The codec of that name. Throws an {@link InputError} that says what was expected when there is none. */
export function parseCodec(text: string): Codec {
  const codec = find(text)
  if (codec !== undefined) return codec
  throw new InputError(`found "${text}", expected ${expectedParameter(text) ?? `one of ${codecWords.join(', ')}`}`)
}

/** Whether {@link parseCodec} knows the codec of that name. */
export function isCodec(text: string): boolean {
  return find(text) !== undefined
}

/** The expected parameter, where `text` names a kind of codec but has a wrong one. */
export function expectedParameter(text: string): string | undefined {
  const kind = codecKinds.find(({ name, parameter }) => parameter !== undefined && text.startsWith(`${name}:`))
  return kind && `"${kind.name}:" and ${kind.parameter?.description}, such as ${wordOf(kind)}`
}

/** Bytes of a body of `count` numbers in the codec of that name, without the frame's header; for top-k the maximum. */
export function bodyBytes(codec: string, count: number): number {
  return parseCodec(codec).bytes(count)
}

const withNumber = /^(.*):(\d*\.?\d+(?:e-?\d+)?)$/s

function find(text: string): Codec | undefined {
  const [, name, value] = withNumber.exec(text) ?? []
  for (const { parameter, ...kind } of codecKinds) {
    if (parameter === undefined && kind.name === text) return kind.create()
    if (parameter?.isAllowed(Number(value)) === true && kind.name === name) return kind.create(Number(value))
  }
  return undefined
}
