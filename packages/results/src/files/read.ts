/** Reads the files of results, and checks them. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, messageOf } from '@murmuration/core'
import type * as z from 'zod'
import type { Results, RunRecord, Sweep } from '../results.js'
import { describeIssue, lineOfSyntaxError, lineOfValue } from './damage.js'
import { names } from './names.js'
import { inOrder } from './order.js'
import { schemas } from './schema.js'

/**
 * Reads what a `ResultsWriter` wrote, also while it is still writing or after it was stopped. Throws an InputError that
 * names the file and the line when a file is missing or damaged, or when there is no run.
 */
export async function readResults(directory: string): Promise<Results> {
  const sweep = await readWhole(join(directory, names.sweep), schemas.sweep)
  const file = join(directory, names.runs)
  const runs = await readLines(file, (text, where) => runOf(text, where, sweep))
  if (runs.length === 0) throw new InputError(`${file}: found no finished run, expected a line for each`)
  const timelines = await readLines(join(directory, names.timelines), (text, where) =>
    checked(text, where, schemas.timeline)
  )
  return { sweep, runs: inOrder(sweep, runs), timelines: inOrder(sweep, timelines) }
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

/**
 * Every line except an unterminated last one, which was being written when the writer was stopped or the disk was full.
 */
async function readLines<T>(file: string, read: (text: string, where: string) => T): Promise<T[]> {
  const items: T[] = []
  let line = 0
  let rest = ''
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const texts = `${rest}${chunk}`.split('\n')
      rest = texts.pop() ?? ''
      for (const text of texts) {
        line += 1
        if (text.trim() !== '') items.push(read(text, `${file}:${line}`))
      }
    }
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(file, error)
  }
  return items
}

function checked<T>(text: string, where: string, schema: z.ZodType<T>): T {
  const parsed = parse(text, () => where)
  const result = schema.safeParse(parsed)
  if (result.success) return result.data
  throw new InputError(`${where}: ${describeIssue(result.error.issues[0], parsed)}`)
}

function runOf(text: string, where: string, sweep: Sweep): RunRecord {
  const run = checked(text, where, schemas.run)
  if (!sweep.methods.some(({ label }) => label === run.method)) {
    throw new InputError(`${where}: found the method “${run.method}”, expected one of ${names.sweep}`)
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
    throw new InputError(`${where(messageOf(error))}: found invalid JSON: ${messageOf(error)}`)
  }
}

const unreadable = (file: string, error: unknown) =>
  new InputError(`${file}: cannot read the file: ${messageOf(error)}`)
