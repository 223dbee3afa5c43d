import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, RunRequest } from '@murmuration/experiment'
import { recordRun, type RecordOptions } from '@murmuration/experiment/peers'
import { names, readResults } from '@murmuration/results'
import { withEvents } from './events-of.js'
import { resultsFolder } from './results-folder.js'

/** Where a real run is recorded, for `--out`. */
export interface RunRecording extends Pick<RecordOptions, 'command' | 'peer' | 'links' | 'emit'> {
  readonly request: RunRequest
  /** The folder of the results; absent for none. */
  readonly out?: string | undefined
  /** Called with the path of the report, if there is one. */
  readonly onReport: (path: string) => void
}

/** Runs `body` and writes its results and their report, also if the run is stopped or fails. */
export async function recorded<Result>(
  { request, out, onReport, ...options }: RunRecording,
  body: (emit: (event: RunEvent) => void, directory?: string) => Promise<Result>
): Promise<Result> {
  if (out === undefined) return body(options.emit)
  const { directory, removeIfEmpty } = await resultsFolder({ path: request.topology, out })
  const outcome = await settled(recordRun(request, { ...options, directory }, (emit) => body(emit, directory)))
  const reported = await settled(report(directory, onReport))
  await removeIfEmpty()
  for (const { error } of [outcome, reported]) if (error !== undefined) throw error
  return outcome.value as Result
}

async function settled<Value>(promise: Promise<Value>): Promise<{ readonly value?: Value; readonly error?: unknown }> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

/** Writes no report of a run in which no peer trained. */
async function report(directory: string, onReport: (path: string) => void): Promise<void> {
  if (!existsSync(join(directory, names.sweep))) return
  const { writeReport } = await import('@murmuration/report')
  const results = await readResults(directory)
  onReport(await writeReport(directory, await withEvents(results, [{ path: directory, results }])))
}

/** Options that change no result, with the number of their values. */
const unrelated = new Map([
  ['--out', 1],
  ['--save', 1],
  ['--json', 0]
])

/** The command as typed where the package is installed, without options that change no result. */
export function commandOf(argv: readonly string[]): string {
  const kept: string[] = []
  for (let index = 0; index < argv.length; index++) {
    const skipped = unrelated.get(argv[index])
    if (skipped !== undefined) index += skipped
    else if (![...unrelated.keys()].some((option) => argv[index].startsWith(`${option}=`))) kept.push(argv[index])
  }
  return ['npx murmur', ...kept.map(quoted)].join(' ')
}

const quoted = (word: string) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
