import { stripVTControlCharacters } from 'node:util'
import chalk from 'chalk'
import Table from 'cli-table3'

/** The cells of a peer, by column title; the words may have colours. */
export type PeerRow = Readonly<Record<Title, string>>

const titles = ['peer', 'round', 'loss', 'rounds/s', 'sent', 'received', 'waiting', 'neighbours'] as const
type Title = (typeof titles)[number]

/** The columns that a narrow window leaves out, in this order. */
const droppable: readonly Title[] = ['received', 'sent', 'rounds/s', 'waiting']

const padding = 3
const longestName = 16
const narrowestNeighbours = 14

/** The number of visible characters of a text, without colour codes. */
export function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length
}

/**
 * A header line and one line for each row, none longer than `width`. If necessary, columns are left out, then words
 * cut.
 */
export function peerTable(rows: readonly PeerRow[], width: number): string[] {
  const shown = titlesFor(rows, width)
  const widths = shown.map((title) => naturalWidth(title, rows))
  const others = widths.slice(0, -1).reduce((sum, each) => sum + each, 0)
  const table = new Table({
    head: shown.map((title) => chalk.dim(title)),
    colAligns: shown.map((title) => (title === 'peer' || title === 'neighbours' ? 'left' : 'right')),
    colWidths: [...widths.slice(0, -1), Math.max(padding + 1, width - others)],
    style: { 'head': [], 'border': [], 'padding-left': 2, 'padding-right': 1 },
    chars: noBorders
  })
  for (const row of rows) table.push(shown.map((title) => row[title]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}

function titlesFor(rows: readonly PeerRow[], width: number): Title[] {
  let shown: Title[] = [...titles]
  const needed = () => shown.reduce((sum, title) => sum + naturalWidth(title, rows), 0)
  for (const title of droppable) if (needed() > width) shown = shown.filter((each) => each !== title)
  return shown
}

function naturalWidth(title: Title, rows: readonly PeerRow[]): number {
  if (title === 'neighbours') return narrowestNeighbours + padding
  const longest = Math.max(title.length, ...rows.map((row) => lengthOf(row[title])))
  return padding + (title === 'peer' ? Math.min(longest, longestName) : longest)
}

const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle'
  ].map((part) => [part, ''])
)
