/** Browsers ask before a page of the internet reaches devices of the local network, as the peers of a run are. */

/**
 * Whether this browser may ask the person soon: of pages that a peer serves, over plain HTTP, none asks, nor where it
 * was allowed before.
 */
export async function mayAsk(): Promise<boolean> {
  if (location.protocol !== 'https:') return false
  try {
    const { state } = await navigator.permissions.query({ name: 'local-network-access' as PermissionName })
    return state === 'prompt'
  } catch {
    // This browser knows no such permission; its system may still ask.
    return true
  }
}
