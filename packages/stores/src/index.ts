/**
 * Real stores for the services of `parameter-services`: Redis or Valkey, MySQL or MariaDB. Their clients, `redis` and `mysql2`, are installed by who uses them,
 * and loaded when a store is opened.
 *
 * @packageDocumentation
 */
export { openStore } from './open-store.js'
export type { OpenedStore, StoreOptions } from './options.js'
