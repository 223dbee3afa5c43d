/**
 * Keyed rows of parameters, divided among servers or the workers themselves, and their training by SGD.
 *
 * @packageDocumentation
 */
export { IntentKeyServer, type IntentOptions } from './intent-key-server.js'
export { KeyPeer, type KeyPeerOptions } from './key-peer.js'
export { KeyServer, type KeySetting, type SendTo } from './key-server.js'
export { Keys } from './keys.js'
export type { KeyMessage } from './messages.js'
export type { Operation } from './operation.js'
export { plainSgdProblem, type PlainSgdSettings } from './plain-sgd.js'
export {
  clockedKeyOptions,
  keyOptions,
  movingKeyOptions,
  rowsAlgorithm,
  type RowsAlgorithm,
  type RowsDefinition
} from './record.js'
export { RelocatingKeyServer } from './relocating-key-server.js'
export { StaleKeyServer, type StalenessOptions } from './stale-key-server.js'
export { packRows, type SavedRows, unpackRows } from './saved-rows.js'
export { trainKeys } from './train-keys.js'
