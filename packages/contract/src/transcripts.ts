import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { TestFn } from 'ava'

/** What an input does. It is given the groups of its pattern. */
export type Input = readonly [pattern: RegExp, act: (...groups: string[]) => void | Promise<void>]

/** A protocol at the beginning of a transcript. */
export interface TranscriptRun {
  readonly inputs: readonly Input[]
  /** Stops what still runs. */
  end?(): Promise<void>
}

/** A protocol with transcripts: files that say what goes in and, below it, what comes out; see docs/testing.md. */
export interface Protocol {
  /** The folder of the transcripts, whose names end in `.txt`. */
  readonly folder: URL
  /** @param put - takes the outputs of an input while it acts */
  start(put: (output: string) => void): TranscriptRun | Promise<TranscriptRun>
}

/** One test for each transcript of a protocol: what comes out is what it says. */
export function testTranscripts(test: TestFn, protocol: Protocol): void {
  for (const { name, text } of transcriptsOf(protocol)) {
    test(`transcript ${name}`, async (t) => {
      t.is(text, await played(text, protocol), 'the transcript differs; "npm run transcripts" rewrites it')
    })
  }
}

/**
 * Rewrites the transcripts of a protocol with what comes out now. Returns the changed lines of each that has changed,
 * by its path. Rejects with an Error for an input that the protocol does not know.
 */
export async function rewriteTranscripts(protocol: Protocol): Promise<ReadonlyMap<string, readonly string[]>> {
  const changes = new Map<string, readonly string[]>()
  for (const { file, text } of transcriptsOf(protocol)) {
    const now = await played(text, protocol).catch((cause) => {
      throw new Error(`cannot play ${file.pathname}`, { cause })
    })
    if (now === text) continue
    writeFileSync(file, now)
    changes.set(file.pathname, changedLines(text, now))
  }
  return changes
}

function transcriptsOf({ folder }: Protocol): readonly { name: string; file: URL; text: string }[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.txt')) : []
  if (names.length === 0) throw new Error(`no transcript in ${folder.pathname}`)
  return names.sort().map((name) => {
    const file = new URL(name, folder)
    return { name: name.replace('.txt', ''), file, text: readFileSync(file, 'utf8').replaceAll('\r\n', '\n') }
  })
}

/**
 * The transcript with what comes out now. Its first paragraph says what it shows. Below that, indented lines are
 * outputs, those that begin with `#` remarks, and all others inputs.
 */
async function played(text: string, protocol: Protocol): Promise<string> {
  const kept = text.split('\n').filter((line) => !line.startsWith(' '))
  const start = kept.indexOf('')
  if (start < 1) throw new Error('a transcript begins with a paragraph that says what it shows, and an empty line')
  let lines: string[] = []
  const run = await protocol.start((output) => lines.push(`    ${output}`))
  try {
    const all = kept.slice(0, start)
    for (const line of kept.slice(start)) {
      if (line !== '' && !line.startsWith('#')) await act(run.inputs, line)
      all.push(line, ...lines)
      lines = []
    }
    return all.join('\n')
  } finally {
    await run.end?.()
  }
}

async function act(inputs: readonly Input[], line: string): Promise<void> {
  for (const [pattern, does] of inputs) {
    const match = new RegExp(`^(?:${pattern.source})$`).exec(line)
    if (match !== null) return does(...match.slice(1))
  }
  const known = inputs.map(([{ source }]) => source).join('\n  ')
  throw new Error(`"${line}" is no input of this protocol; expected one of\n  ${known}`)
}

/** The lines that only one of two texts has, in order; as many as possible are common to both. */
function changedLines(before: string, after: string): readonly string[] {
  const old = before.split('\n')
  const now = after.split('\n')
  // How many lines are common from here on.
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i][j] = old[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1])
  const changed: string[] = []
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) [i, j] = [i + 1, j + 1]
    else if (j === now.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) changed.push(`- ${old[i++]}`)
    else changed.push(`+ ${now[j++]}`)
  }
  return changed
}
