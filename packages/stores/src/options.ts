import type { Milliseconds, Store } from '@murmuration/core'

/** Options of a store. */
export interface StoreOptions {
  /** Its scheme is `redis:`, `rediss:`, `mysql:` or `mariadb:`. */
  readonly url: string
  /** The password of the URL's user; none when absent. */
  readonly password?: string | undefined
  /** A prefix that separates the objects of this run from those of other runs. */
  readonly run: string
  /** The timeout of one operation, retries while the store is unreachable included. */
  readonly timeout: Milliseconds
  /** Called with a message when an operation begins to wait for the store, and when the store is back. */
  readonly onWait?: (text: string) => void
}

/** An open store. */
export interface OpenedStore extends Store {
  /** Ends the connection. The stored objects remain. */
  close(): Promise<void>
}
