import type { ExecutionContext } from 'ava'

/** `test` or `test.serial`. */
export type TestFunction = (title: string, body: (t: ExecutionContext) => Promise<void>) => void
