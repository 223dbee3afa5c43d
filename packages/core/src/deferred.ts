/** A promise that other code settles. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/**
 * A promise with its resolve and reject, as `Promise.withResolvers`, which Node 20 lacks.
 *
 * @example
 * ```js
 * const answer = deferred()
 * answer.resolve(42)
 * await answer.promise // → 42
 * ```
 */
export function deferred<Value = void>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
