/**
 * Real stores for the services of `parameter-services`: Redis or Valkey, MySQL or MariaDB. The user installs their
 * clients, `redis` and `mysql2`; they are loaded when a store is opened.
 *
 * @packageDocumentation
 */
export { openStore } from './open-store.js'
export type { OpenedStore, StoreOptions } from './options.js'
