import { hashOf } from './hash.js'
import type { Signer } from './records.js'

/** For worlds in which no peer can sign in another's name: it tells texts apart, and proves nothing. */
export const trustingSigner: Signer = { sign: (text) => hashOf(text).toString(36), verify: () => true }
