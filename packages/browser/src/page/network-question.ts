/** Browsers ask before a page of the internet reaches devices of the local network, as the peers of a run are. */

/** Addresses that are not of the internet: a page from there is in the network already. */
const local = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[(::1|f[cde]))|\.local$/i

/** Whether this browser may ask the person soon; not where it was allowed before. */
export async function mayAsk(): Promise<boolean> {
  if (local.test(location.hostname)) return false
  try {
    const { state } = await navigator.permissions.query({ name: 'local-network-access' as PermissionName })
    return state === 'prompt'
  } catch {
    // This browser knows no such permission; its system may still ask.
    return true
  }
}
