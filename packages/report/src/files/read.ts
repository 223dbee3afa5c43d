/** Files become results again, and are checked. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { InputError, messageOf } from '@murmuration/core'
import type { z } from 'zod'
import type { Results, RunRecord, Sweep } from '../results.js'
import { describeIssue, lineOfSyntaxError, lineOfValue } from './damage.js'
import { names } from './names.js'
import { schemas } from './schema.js'

/** Reads what `writeResults` wrote. Throws an InputError that names file and line when a file is missing or damaged. */
export async function readResults(directory: string): Promise<Results> {
  const sweep = await readWhole(join(directory, names.sweep), schemas.sweep)
  const runs = await readRuns(join(directory, names.runs), sweep)
  const timelines = await readWhole(join(directory, names.timelines), schemas.timelines)
  return { sweep, runs, timelines }
}

async function readWhole<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error)
  })
  const parsed = parse(text, (message) => `${file}:${lineOfSyntaxError(text, message)}`)
  const checked = schema.safeParse(parsed)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new InputError(`${file}:${lineOfValue(text, issue.path)}: ${describeIssue(issue, parsed)}`)
}

async function readRuns(file: string, sweep: Sweep): Promise<RunRecord[]> {
  const runs: RunRecord[] = []
  let line = 0
  try {
    for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      line += 1
      if (text.trim() !== '') runs.push(runOf(text, `${file}:${line}`, sweep))
    }
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(file, error)
  }
  return runs
}

function runOf(text: string, where: string, sweep: Sweep): RunRecord {
  const parsed = parse(text, () => where)
  const checked = schemas.run.safeParse(parsed)
  if (!checked.success) throw new InputError(`${where}: ${describeIssue(checked.error.issues[0], parsed)}`)
  const run = checked.data
  if (!sweep.contenders.some(({ label }) => label === run.contender)) {
    throw new InputError(`${where}: found the contender “${run.contender}”, expected one of ${names.sweep}`)
  }
  for (const [axis, values] of Object.entries(sweep.axes)) {
    if (!values.includes(run.settings[axis])) {
      throw new InputError(
        `${where}: found ${axis} ${run.settings[axis] ?? 'missing'}, expected one of ${values.join(', ')}`
      )
    }
  }
  return run
}

function parse(text: string, where: (message: string) => string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`${where(messageOf(error))}: this is no JSON: ${messageOf(error)}`)
  }
}

const unreadable = (file: string, error: unknown) => new InputError(`${file}: cannot be read: ${messageOf(error)}`)
