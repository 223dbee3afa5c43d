/** The link that invites this tab: read once, out of sight afterwards, kept for a reload. */

const key = 'murmuration-link'

/** What a link carries in its fragment. */
const fragment = /[#&]join=([^&\s]+)/

/**
 * The link of this tab: that of the address bar, which then shows it no more, or the one with which the tab was opened
 * before. An invitation is a secret that can be used once, so it must not stay where screens and histories show it.
 */
export function takeLink(): string | undefined {
  const { href, origin, pathname, search, hash } = location
  if (fragment.test(hash)) {
    keepLink(href)
    history.replaceState(null, '', origin + pathname + search)
  }
  return sessionStorage.getItem(key) ?? undefined
}

/** Keeps a link for as long as this tab is open. */
export function keepLink(link: string): void {
  sessionStorage.setItem(key, link)
}

/** A pasted link, or only its invitation, as a link; undefined for other text. */
export function linkIn(text: string): string | undefined {
  const pasted = text.trim()
  const invitation = /^murmur\d+\.\S+$/.test(pasted) ? pasted : fragment.exec(pasted)?.[1]
  return invitation === undefined ? undefined : `${location.origin}${location.pathname}#join=${invitation}`
}
