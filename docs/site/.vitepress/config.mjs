/**
 * The documents of this repository as a site: docs/ as it is, with its links checked. `npm run site` in the
 * repository's root builds it.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf, LinkCheck } from './links.mjs'

const docs = fileURLToPath(new URL('../..', import.meta.url))
const root = join(docs, '..')
const { repository } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
const source = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main`
const links = new LinkCheck()

// A copy, since VitePress finds Vue from where the pages are.
const pages = join(docs, 'site/pages')
rmSync(pages, { recursive: true, force: true })
for (const name of readdirSync(docs))
  if (name !== 'site') cpSync(join(docs, name), join(pages, name), { recursive: true })

const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(docs, `${path}.md`), 'utf8'))[1]
const page = (path) => ({ text: titleOf(path), link: `/${path}` })
const group = (text, ...paths) => ({ text, collapsed: false, items: paths.map(page) })
const decisions = readdirSync(join(docs, 'decisions')).map((file) => `decisions/${file.replace('.md', '')}`)

/** Where a link of a page leads: a page of the site, or a file of the repository. */
function destination(href, path) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [file, hash] = href.split('#')
  const target = relative(root, join(docs, dirname(path), file))
  const isPage = target.startsWith('docs/') && target.endsWith('.md')
  if (isPage) return href
  if (!existsSync(join(root, target))) throw new Error(`docs/${path}: ${href} leads nowhere`)
  return `${source}/${target}${hash === undefined ? '' : `#${hash}`}`
}

// VitePress reads its configuration from the default export.
export default defineConfig({
  title: 'Murmuration',
  description: 'SGD without a server: decentralised training over libp2p, and a simulator of the same algorithms',
  srcDir: 'pages',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  markdown: {
    // As GitHub makes them, so that links work in both.
    anchor: { slugify: anchorOf },
    config: (md) => {
      const render =
        md.renderer.rules.link_open ?? ((tokens, place, options, _, self) => self.renderToken(tokens, place, options))
      md.renderer.rules.link_open = (tokens, place, options, env, self) => {
        tokens[place].attrSet('href', destination(tokens[place].attrGet('href'), env.relativePath))
        return render(tokens, place, options, env, self)
      }
    }
  },
  transformHtml: (html, _, { page: path }) => links.read(path, html),
  buildEnd: () => links.check(),
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    socialLinks: [{ icon: 'github', link: source.replace('/blob/main', '') }],
    nav: [
      { text: 'Tutorials', link: '/tutorials/two-laptops' },
      { text: 'Commands', link: '/commands' },
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Changelog', link: `${source}/CHANGELOG.md` }
    ],
    sidebar: [
      group('Start', 'index', 'comparison'),
      group(
        'Tutorials',
        'tutorials/two-laptops',
        'tutorials/private-data',
        'tutorials/before-renting',
        'tutorials/own-algorithm'
      ),
      group(
        'Guides',
        'four-machines',
        'joining',
        'in-a-program',
        'deploying',
        'watching',
        'failures',
        'security',
        'parameter-servers',
        'parameter-services'
      ),
      group('Reference', 'commands', 'topology-file', 'training-file', 'scenario-file', 'algorithms', 'glossary'),
      group(
        'Background',
        'architecture',
        'simulator',
        'membership',
        'performance',
        'slow-links',
        'slow-links-64',
        'churn',
        'claims',
        'hard-data-and-liars',
        'paper-map',
        'testing'
      ),
      { text: 'Decisions', collapsed: true, items: decisions.map(page) }
    ]
  }
})
