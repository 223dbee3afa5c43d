import { Document, visit } from 'yaml'
import { bitRateText, durationText } from '../quantities.js'
import type { LinksDescription } from './links-schema.js'

/** How the numbers of links are written, by their names. */
const texts: Readonly<Record<string, (value: number) => string>> = {
  latency: durationText,
  jitter: durationText,
  loss: (fraction) => `${Number((100 * fraction).toPrecision(12))} %`,
  window: (bytes) => `${bytes} B`,
  up: bitRateText,
  down: bitRateText,
  bandwidth: bitRateText
}

/** Links as a file says them, with units. */
export function linksValue(links: LinksDescription): unknown {
  return withUnits(links)
}

function withUnits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnits)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    entries.map(([key, each]) => [key, typeof each === 'number' ? texts[key](each) : withUnits(each)])
  )
}

/** The text of a links file, with a line for each peer and each pair. `comment` stands above. */
export function linksText(links: LinksDescription, comment: string): string {
  const document = new Document(linksValue(links))
  document.commentBefore = ` ${comment}`
  // Below the document, the outermost mapping and its entries.
  visit(document, { Collection: (_, node, path) => void (node.flow = path.length > 3) })
  return document.toString({ lineWidth: 0 })
}
