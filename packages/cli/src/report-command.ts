import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { InputError } from '@murmuration/core'
import {
  mergeParts,
  mergeResults,
  names,
  type NamedResults,
  readResults,
  type Results,
  runsExpected,
  writeResults
} from '@murmuration/results'
import { withEvents } from './events-of.js'
import { writeReport } from '@murmuration/report'
import { resultsFolder } from './results-folder.js'
import { version } from './version.js'

/** The options of `murmur report`. */
export interface ReportOptions {
  /** The folder for the report of several folders; default: a new folder in `results`. */
  readonly out?: string
}

/**
 * Writes the report of a folder again, or a report that merges several folders, with the merged results, in a folder of
 * its own. Resolves with the report's path. Throws an InputError when results cannot be read or do not fit each other.
 */
export async function reportOn(
  folders: readonly string[],
  { out }: ReportOptions,
  note: (text: string) => void
): Promise<string> {
  checkFolders(folders)
  const all = await Promise.all(folders.map(readResults))
  folders.forEach((folder, index) => noteUnfinished(folder, all[index], note))
  const found = folders.map((path, index) => ({ path, results: all[index] }))
  if (folders.length === 1 && out === undefined) return writeReport(folders[0], await withEvents(all[0], found))
  const shortNames = namesOf(folders)
  const named = all.map((each, index) => ({ name: shortNames[index], results: each }))
  const areParts = all.length > 1 && all.some(({ sweep }) => sweep.part !== undefined)
  const results = await withEvents(areParts ? whole(named, note) : sideBySide(named, folders), found)
  const path = areParts ? 'whole' : shortNames.join('-')
  const folder = await resultsFolder({ path, ...(out === undefined ? {} : { out }) })
  try {
    await writeResults(folder.directory, results)
    return await writeReport(folder.directory, results)
  } finally {
    await folder.removeIfEmpty()
  }
}

function sideBySide(named: readonly NamedResults[], folders: readonly string[]): Results {
  if (named.length === 1) return named[0].results
  return mergeResults(named, { command: `npx murmur report ${folders.join(' ')}`, version })
}

/** The sweep that the folders are parts of. */
function whole(named: readonly NamedResults[], note: (text: string) => void): Results {
  const { results, missing } = mergeParts(named)
  if (missing.length > 0)
    note(
      `${missing.length === 1 ? 'part' : 'parts'} ${missing.join(', ')} of the sweep ${missing.length === 1 ? 'is' : 'are'} missing`
    )
  return results
}

/** Throws an InputError for a path that is not a folder with results, and for a folder that is given twice. */
function checkFolders(folders: readonly string[]): void {
  for (const [index, folder] of folders.entries()) {
    const expected = 'expected a folder that "murmur sim", "murmur swarm --out" or "murmur peer --out" wrote'
    if (!existsSync(folder)) throw new InputError(`${folder}: no such folder; ${expected}`)
    if (!statSync(folder).isDirectory()) throw new InputError(`${folder}: found a file; ${expected}`)
    if (!existsSync(join(folder, names.sweep)))
      throw new InputError(`${folder}: found no ${names.sweep} in it; ${expected}`)
    if (folders.findIndex((other) => resolve(other) === resolve(folder)) < index)
      throw new InputError(`${folder}: named twice; name each folder once`)
  }
}

function noteUnfinished(folder: string, { runs, sweep }: Results, note: (text: string) => void): void {
  const all = runsExpected(sweep)
  if (runs.length < all) note(`${folder}: the sweep was not finished; found ${runs.length} of its ${all} runs`)
}

/** The folders' own names; their paths if two have the same name. */
function namesOf(folders: readonly string[]): readonly string[] {
  const names = folders.map((folder) => basename(resolve(folder)))
  return new Set(names).size === names.length ? names : folders
}
