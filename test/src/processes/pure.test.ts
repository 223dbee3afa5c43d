/** Packages that must not depend on a machine compile with the language alone: no types of Node or of a browser. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { root, textOf, tsc } from '../repository.js'

test('the pure packages compile without the types of Node and of browsers', async (t) => {
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', 'test/pure'], { cwd: root })
  const output = await compiled.then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout
  )
  t.is(output, '')
})

test('those are the packages that the documents say know no machine', (t) => {
  const { include } = JSON.parse(textOf('test/pure/tsconfig.json')) as { readonly include: readonly string[] }
  const compiled = include.flatMap((path) => /packages\/(\w+)\/src/.exec(path)?.[1] ?? [])
  const [, named = ''] =
    /^(.*) know no real time, no chance and no machine\.$/m.exec(textOf('docs/understand/architecture.md')) ?? []
  t.deepEqual(compiled, named.split(/, | and /))
})
