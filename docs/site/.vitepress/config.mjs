/**
 * The documents of this repository as a site: docs/ as it is, with its links checked. `npm run site` in the
 * repository's root builds it.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
mkdirSync(join(pages, 'studies'))
for (const name of readdirSync(join(root, 'studies')).filter((file) => file.endsWith('.md'))) {
  const text = readFileSync(join(root, 'studies', name), 'utf8')
  writeFileSync(join(pages, 'studies', name), text.replaceAll('../docs/images/', '../images/'))
}

/** The file of the repository that a page is made of, and the page that is made of a file, if one is. */
const fileOf = (path) => (path.startsWith('studies/') ? path : `docs/${path}`)
const pageOf = (file) => {
  if (!/^(docs|studies)\/.*\.md$/.test(file)) return undefined
  return file.startsWith('studies/') ? file : file.slice('docs/'.length)
}
const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(root, fileOf(`${path}.md`)), 'utf8'))[1]
const page = (path) => ({ text: titleOf(path), link: `/${path}` })
const group = (text, ...paths) => ({ text, collapsed: false, items: paths.map(page) })
const decisions = readdirSync(join(docs, 'change/decisions')).map((file) => `change/decisions/${file.slice(0, -3)}`)

/** Where a link of a page leads: a page of the site, or a file of the repository. */
function destination(href, path) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [file, hash] = href.split('#')
  const target = join(dirname(fileOf(path)), file)
  const anchor = hash === undefined ? '' : `#${hash}`
  const led = pageOf(target)
  if (led !== undefined) return relative(dirname(path), led) + anchor
  if (!existsSync(join(root, target))) throw new Error(`${fileOf(path)}: ${href} leads nowhere`)
  return `${source}/${target}${anchor}`
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
      { text: 'Tutorials', link: '/use/tutorials/two-laptops' },
      { text: 'Commands', link: '/use/commands' },
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Changelog', link: `${source}/CHANGELOG.md` }
    ],
    sidebar: [
      group('Start', 'index', 'understand/comparison'),
      group(
        'Tutorials',
        'use/tutorials/two-laptops',
        'use/tutorials/private-data',
        'use/tutorials/before-renting',
        'use/tutorials/kernel-machine',
        'use/tutorials/own-algorithm'
      ),
      group(
        'Use',
        'use/four-machines',
        'use/joining',
        'use/in-a-program',
        'use/deploying',
        'use/watching',
        'use/failures',
        'use/security',
        'use/advise',
        'use/parameter-servers',
        'use/parameter-services'
      ),
      group(
        'Look up',
        'use/commands',
        'use/topology-file',
        'use/training-file',
        'use/scenario-file',
        'use/algorithms',
        'understand/glossary'
      ),
      group(
        'Understand',
        'understand/architecture',
        'understand/simulator',
        'understand/taxonomy',
        'understand/membership',
        'understand/performance'
      ),
      group(
        'Studies',
        'studies/slow-links',
        'studies/slow-links-64',
        'studies/churn',
        'studies/hard-data-and-liars',
        'studies/scaling',
        'studies/claims',
        'studies/paper-map'
      ),
      group('Change', 'change/testing'),
      { text: 'Decisions', collapsed: true, items: decisions.map(page) }
    ]
  }
})
