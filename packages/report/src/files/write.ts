/** Results become files. */
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, messageOf } from '@murmuration/core'
import type { Results } from '../results.js'
import { names } from './names.js'
import { curvesTable, summaryTable } from './tables.js'

/**
 * Writes sweep.json, runs.jsonl and timelines.json, which {@link readResults} reads, and summary.csv and curves.csv for
 * other programs. Makes the directory; overwrites files of these names. Throws an InputError when that fails.
 */
export async function writeResults(directory: string, { sweep, runs, timelines }: Results): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    await writePieces(join(directory, names.sweep), [`${JSON.stringify(sweep, undefined, 2)}\n`])
    await writePieces(join(directory, names.runs), linesOf(runs))
    await writePieces(join(directory, names.timelines), [`${JSON.stringify(timelines)}\n`])
    await writePieces(join(directory, names.summary), summaryTable(sweep, runs))
    await writePieces(join(directory, names.curves), curvesTable(sweep, runs))
  } catch (error) {
    throw new InputError(`${directory}: the results cannot be written there: ${messageOf(error)}`)
  }
}

function* linesOf(items: readonly unknown[]): Generator<string> {
  for (const item of items) yield `${JSON.stringify(item)}\n`
}

/** Piece by piece, since a large sweep's runs are longer than a text may be. */
async function writePieces(file: string, pieces: Iterable<string>): Promise<void> {
  const handle = await open(file, 'w')
  try {
    for (const piece of pieces) await handle.writeFile(piece)
  } finally {
    await handle.close()
  }
}
