/** Where a server may send a download: not to addresses inside, which only this machine or its network reaches. */
import { lookup } from 'node:dns/promises'
import { BlockList } from 'node:net'

/** At most so many redirects are followed, as browsers follow about 20 and mirrors need 2 or 3. */
const maxRedirects = 10

/**
 * Loopback, private, link-local, shared and unspecified addresses. `check` also finds them where they are mapped into
 * IPv6.
 */
const inside = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16]
] as const)
  inside.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10]
] as const)
  inside.addSubnet(network, prefix, 'ipv6')

/**
 * The response to a request for `url`, after redirects. One from a host outside to one inside is an error: a data set's
 * server could otherwise have this machine ask its own network. A user who names a host inside may be sent on to others
 * there.
 *
 * @param get - for tests, which reach no host outside
 */
export async function fetchFollowing(url: URL, signal: AbortSignal, get: typeof fetch = fetch): Promise<Response> {
  let target = url
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await get(target, { signal, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    target = new URL(location, target)
    if (!/^https?:$/.test(target.protocol)) throw new Error(`it redirects to ${target}, expected http:// or https://`)
    if ((await isInside(target)) && !(await isInside(url)))
      throw new Error(`it redirects to ${target}, an address inside this network; if you trust that, give its URL`)
  }
  throw new Error(`it redirects more than ${maxRedirects} times`)
}

/** Whether some address of a URL's host is one inside. Rejects where the name has none. */
export async function isInside({ hostname }: URL): Promise<boolean> {
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true })
  return found.some(({ address, family }) => inside.check(address, family === 6 ? 'ipv6' : 'ipv4'))
}
