import { StoreError } from '@murmuration/core'
import { openMysql } from './mysql.js'
import type { OpenedStore, StoreOptions } from './options.js'
import { openRedis } from './redis.js'

/**
 * Opens a store. It connects on the first operation.
 *
 * @throws StoreError when the client of the store is not installed, or the URL has an unknown scheme
 */
export function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { protocol } = new URL(options.url)
  if (protocol === 'redis:' || protocol === 'rediss:') return openRedis(options)
  if (protocol === 'mysql:' || protocol === 'mariadb:') return openMysql(options)
  throw new StoreError(`unknown store ${protocol}//…: expected redis://host:6379 or mysql://user@host:3306/database`)
}
