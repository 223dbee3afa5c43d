/** An anchor, as GitHub makes it of a heading. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-')
}

/** VitePress finds pages that are not there; this finds headings that are not. */
export class LinkCheck {
  #anchors = new Map()
  #links = []

  /** Takes in what a page has, and what it names. */
  read(page, html) {
    const name = page.replace(/\.md$/, '.html')
    this.#anchors.set(name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)))
    const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? html
    for (const [, href] of main.matchAll(/<a [^>]*href="([^"]+)"/g)) this.#links.push([name, href])
  }

  /** Throws an error that names all links to headings that are not there. */
  check() {
    const broken = this.#links.flatMap(([from, href]) => {
      const { pathname, hash } = new URL(href, `site://docs/${from}`)
      if (!href.includes('#') || /^[a-z]+:/.test(href) || hash === '') return []
      const anchors = this.#anchors.get(pathname.slice(1))
      return anchors?.has(decodeURIComponent(hash.slice(1))) === true ? [] : [`${from}: ${href}`]
    })
    if (broken.length > 0)
      throw new Error(`links to headings that are not there:\n  ${[...new Set(broken)].join('\n  ')}`)
  }
}
