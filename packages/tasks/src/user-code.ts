import { InputError, messageOf } from '@murmuration/core'
import { fileUrl } from '@murmuration/platform'

/** `./model.mjs:12`: a user's file and, where the stack of what it threw says so, the line. */
export function placeOf(path: string, thrown: unknown): string {
  const url = path.startsWith('file:') ? path : fileUrl(path)
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const frame = stack.split('\n').find((line) => line.includes(`${url}:`))
  const line =
    frame === undefined ? undefined : /^\d+/.exec(frame.slice(frame.indexOf(`${url}:`) + url.length + 1))?.[0]
  return line === undefined ? path : `${path}:${line}`
}

/** The error that says which part of a user's module fails, and where. */
export function blame(path: string, what: string, thrown: unknown, whose: 'model' | 'algorithm' = 'model'): InputError {
  return new InputError(`${what} of the ${whose}'s module ${placeOf(path, thrown)} fails: ${messageOf(thrown)}`)
}
