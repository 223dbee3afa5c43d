/** See noise-crypto.ts: a page has the defaults of noise. */
export const noiseCrypto = undefined
