import { createRequire } from 'node:module'

/** The version of this package; `undefined` in a bundle, which has no package.json, or another program's. */
export const ownSoftware: string | undefined = read()

function read(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const { name, version } = require('../../package.json') as { readonly name?: string; readonly version?: string }
    return name === '@murmuration/libp2p' ? version : undefined
  } catch {
    return undefined
  }
}
