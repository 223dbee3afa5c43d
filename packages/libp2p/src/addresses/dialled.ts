/** Whether this peer is a page in a browser, which listens nowhere and speaks WebRTC. */
export const isPage: boolean = false

/** The kinds of addresses that a peer of this platform dials. */
export const dialled: readonly string[] = ['tcp']
