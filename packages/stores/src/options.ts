import type { Milliseconds, Store } from '@murmuration/core'

/** How a store is used. */
export interface StoreOptions {
  /** `redis:`, `rediss:`, `mysql:` or `mariadb:`. */
  readonly url: string
  /** Of the user of the URL; none when absent. */
  readonly password?: string | undefined
  /** What keeps the objects of this run apart from those of others. */
  readonly run: string
  /** For how long one operation is tried, and a store that is away waited for. */
  readonly timeout: Milliseconds
  /** Told in words when the store is waited for, and when it is back. */
  readonly onWait?: (text: string) => void
}

/** A store that is connected to. */
export interface OpenedStore extends Store {
  /** Ends the connection. What is stored stays. */
  close(): Promise<void>
}
