/** See lan.ts. */

/** Why nobody on the local network can find this page: a browser sends and receives no multicast DNS. */
export function lanProblem(): string {
  return 'a page can neither find peers on the local network nor be found; give it a seed or an address'
}

export async function multicastProblem(): Promise<undefined> {
  return undefined
}
