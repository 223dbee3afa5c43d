import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { type Protocol, rewriteTranscripts } from './transcripts.js'

const header = 'Sums.\n\n# They begin at 0.\n'

test('a transcript is rewritten where something else comes out, and the changed lines are told', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'transcripts-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'sums.txt')
  const protocol: Protocol = {
    folder: pathToFileURL(`${folder}/`),
    start: (put) => {
      let sum = 0
      return { inputs: [[/add (\d+)/, (number) => put(`${(sum += Number(number))}`)]] }
    }
  }
  await t.throwsAsync(rewriteTranscripts(protocol), { message: /no transcript in/ })
  const write = (text: string) => writeFileSync(file, text)
  write(`${header}add 2\n    2\nadd 3\n    6\n\nadd 1\n`)
  t.deepEqual([...(await rewriteTranscripts(protocol)).values()], [['-     6', '+     5', '+     6']])
  t.is(readFileSync(file, 'utf8'), `${header}add 2\n    2\nadd 3\n    5\n\nadd 1\n    6\n`)
  t.is((await rewriteTranscripts(protocol)).size, 0)
  for (const [text, problem] of [
    [`${header}add two\n`, /"add two" is no input of this protocol; expected one of\n {2}add/],
    ['\nadd 2\n', /begins with a paragraph/]
  ] as const) {
    write(text)
    const error = await t.throwsAsync(rewriteTranscripts(protocol), { message: /cannot play .*sums.txt/ })
    t.regex(String(error?.cause), problem)
  }
})
