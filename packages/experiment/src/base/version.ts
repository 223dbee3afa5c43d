import { createRequire } from 'node:module'

/** The version of this package, which all packages share. */
export const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
