import { Document, visit } from 'yaml'
import { bitRateText, durationText } from '../quantities.js'
import type { LinksDescription } from './links-schema.js'

/** How to write each number of a link, by its name. */
const texts: Readonly<Record<string, (value: number) => string>> = {
  latency: durationText,
  jitter: durationText,
  loss: (fraction) => `${Number((100 * fraction).toPrecision(12))} %`,
  window: (bytes) => `${bytes} B`,
  up: bitRateText,
  down: bitRateText,
  bandwidth: bitRateText
}

/** Links in the form that a file has, with units. */
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

/** The text of a links file, with a line for each peer and each pair, and `comment` above. */
export function linksText(links: LinksDescription, comment: string): string {
  const document = new Document(linksValue(links))
  document.commentBefore = ` ${comment}`
  // Block style for the outermost mapping and its entries, flow style below.
  visit(document, { Collection: (_, node, path) => void (node.flow = path.length > 3) })
  return document.toString({ lineWidth: 0 })
}
