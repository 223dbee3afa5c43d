import type { AddressKind } from './kinds.js'

/** See dialled.ts. */
export const isPage: boolean = true

/** A page cannot open sockets. */
export const dialled: readonly AddressKind[] = ['webrtc-direct', 'ws']
