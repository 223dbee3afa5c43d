/** See dialled.ts. */
export const isPage: boolean = true

/** A page cannot open sockets. */
export const dialled: readonly string[] = ['webrtc-direct', 'ws']
