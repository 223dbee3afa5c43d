import { hashOf } from './hash.js'
import type { PromptSigner } from './records.js'

/** For worlds in which no peer can sign in another's name: it tells texts apart, and proves nothing. */
export const trustingSigner: PromptSigner = { sign: (text) => hashOf(text).toString(36), verify: () => true }
