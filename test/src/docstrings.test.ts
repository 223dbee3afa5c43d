/** The examples in the docstrings of core are true: each line `expression // → value` is evaluated. */
import * as core from '@murmuration/core'
import test from 'ava'
import { repositoryFiles, textOf } from './repository.js'

const sources = repositoryFiles().filter((file) => /^packages\/core\/src\/(?!.*\.test\.).*\.ts$/.test(file))
const examples = sources.flatMap((file) =>
  [...textOf(file).matchAll(/@example\n \* ```js\n([\s\S]*?) \* ```/g)].map(([, text]) => ({
    file,
    lines: text.split('\n').map((line) => line.replace(/^ \* ?/, ''))
  }))
)

type Check = (found: unknown, expected: unknown) => void

test('every example has a value, and computes it', async (t) => {
  t.true(examples.length >= 7)
  for (const { file, lines } of examples) {
    const code = lines.map((line) => line.replace(/^(.*) \/\/ → (.*)$/, 'check($1, $2)')).join('\n')
    t.regex(code, /check\(/, file)
    const names = Object.keys(core)
    const check: Check = (found, expected) => t.deepEqual(found, expected, `${file}: ${lines.join('; ')}`)
    // oxlint-disable-next-line typescript/no-implied-eval
    const run = new Function('check', ...names, `return (async () => {\n${code}\n})()`) as (
      ...given: unknown[]
    ) => Promise<void>
    await run(check, ...Object.values(core))
  }
})
