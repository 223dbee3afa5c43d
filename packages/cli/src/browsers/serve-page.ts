/** `murmur peer --browsers`: the page with which browsers join the run, and links to it. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import type { JoinLink, Output, RunRequest } from '@murmuration/experiment'
import { invitationsHere } from '@murmuration/experiment/peers'
import { JoinServer } from '@murmuration/watch'
import { linkOf } from './link.js'
import { browserAddresses } from './page-addresses.js'

/** The port of the page if it is free, so that links survive a restart of the peer. */
const usualPort = 4280

/** How long the links are valid, in milliseconds: 48 h, as those of `murmur invite`. */
const validity = 172_800_000

/** What is served for which peer. */
export interface PageRequest {
  readonly request: RunRequest
  readonly self: PeerName
  /** Whether a person sees what is printed: a link is a secret, and must not be in a log. */
  readonly isSeen: boolean
  /** Prints an event, and records it nowhere. */
  readonly show: Output['event']
}

/**
 * Serves the page as soon as an event says where the peer listens, and shows the links to it. A page that cannot be
 * served is a note: the peer trains without it.
 */
export function pageForBrowsers({ request, self, isSeen, show }: PageRequest): Output['event'] {
  const serve = async (addresses: readonly string[]) => {
    const { names, seeds } = browserAddresses(addresses)
    const host = names.length === 0 ? '127.0.0.1' : names.some((name) => name.includes(':')) ? '::' : '0.0.0.0'
    const page = { folder: pageFolder(), host, names }
    const usual = JoinServer.start({ ...page, port: usualPort })
    const { urls } = await usual.catch(() => JoinServer.start({ ...page, port: 0 }))
    const invitations = isSeen ? await invitationsHere(request, { seeds, expires: validity }) : undefined
    const links = invitations?.map(({ name, text }): JoinLink => ({ place: name, urls: linksOf(urls, text) }))
    show({ kind: 'browsers', peer: self, urls, seeds, ...(links === undefined ? {} : { links }) })
  }
  return (event) => {
    if (event.kind !== 'peer' || event.peer !== self) return
    serve(event.addresses).catch((error: unknown) => show({ kind: 'note', text: messageOf(error) }))
  }
}

/** An invitation as links: by this machine's own page, and by the address that other devices use. */
const linksOf = (urls: readonly string[], invitation: string): readonly string[] =>
  urls.slice(0, 2).map((url) => linkOf(url, invitation))

/** The folder of the built page. */
function pageFolder(): string {
  const file = fileURLToPath(import.meta.resolve('@murmuration/browser/page/index.html'))
  if (existsSync(file)) return dirname(file)
  throw new InputError(`--browsers: the page is not built: ${file} is missing; "npm run build" builds it`)
}
