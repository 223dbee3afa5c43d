import type { Milliseconds } from '@murmuration/core'
import { TimeoutError } from '#platform/libraries/base.js'

/**
 * Runs `act` with a timeout. Its signal is aborted after `limit`, or when `closing` is aborted; then the result
 * rejects, even if `act` ignores the signal. It does not use `AbortSignal.any` with `AbortSignal.timeout`: on Node 20
 * that timeout is garbage-collected and never fires.
 */
export async function within<T>(
  limit: Milliseconds,
  closing: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  closing.throwIfAborted()
  const controller = new AbortController()
  const { signal } = controller
  const close = () => controller.abort(closing.reason)
  closing.addEventListener('abort', close)
  const late = () => controller.abort(new TimeoutError(`no answer within ${limit / 1000} s`))
  const timer = setTimeout(late, limit)
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([act(signal), ended])
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
}
