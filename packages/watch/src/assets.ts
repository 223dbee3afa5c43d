/** The files of the page, by URL path. No other file of the disk is served. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageHtml } from './page-html.js'
import { pageStyle } from './page-style.js'

export interface Asset {
  readonly type: string
  readonly read: () => string
}

let all: ReadonlyMap<string, Asset> | undefined

/** All assets; found on the first call. */
export function assets(): ReadonlyMap<string, Asset> {
  return (all ??= findAssets())
}

const folder = fileURLToPath(new URL('./page/', import.meta.url))
const script = 'text/javascript'

const withoutMap = (text: string) => text.replace(/^\/\/# sourceMappingURL=.*$/gm, '')

function findAssets(): ReadonlyMap<string, Asset> {
  // The installed chart library: the files for browsers are in the folder of the package's main file.
  const uplot = dirname(createRequire(import.meta.url).resolve('uplot'))
  const style = () => textOf(join(uplot, 'uPlot.min.css')) + pageStyle
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return new Map([
    ['/', { type: 'text/html', read: () => pageHtml }],
    ['/style.css', { type: 'text/css', read: style }],
    ['/uplot.js', { type: script, read: () => textOf(join(uplot, 'uPlot.iife.min.js')) }],
    ...modules.map((name): [string, Asset] => [
      `/page/${name}`,
      { type: script, read: () => withoutMap(textOf(join(folder, name))) }
    ])
  ])
}

const textOf = (file: string) => readFileSync(file, 'utf8')

const texts = new Map<Asset, string>()

/** The text of an asset, read once. */
export function assetAt(asset: Asset): string {
  const text = texts.get(asset) ?? asset.read()
  texts.set(asset, text)
  return text
}
