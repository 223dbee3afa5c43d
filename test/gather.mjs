/**
 * Writes the files that "npm test" and "npm run check" run to test/dist/gathered. Each is a worker of ava: one for the
 * tests of a folder of a package, since starting a worker takes longer than most files; but one for each file that is
 * not in a folder of test/ and libp2p, whose tests wait for connections or compute for long, and for each that only
 * "npm run check" runs.
 *
 * With `--all`: also the tests in folders named `processes`, which need processes, servers, browsers or containers of
 * their own, `characterisation`, which test libraries, and `studies`, which compare with published figures.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = join(root, 'test/dist/gathered')

/** The tests in a package's source, relative to it. */
const testsIn = (place) =>
  readdirSync(join(root, place, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => file.replace(/\.test\.ts$/, ''))
    .sort()

const isOfCheck = (file) => /(^|\/)(processes|characterisation|studies)\//.test(file)
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
const groups = new Map()
for (const place of [...packages, 'test']) {
  for (const file of testsIn(place)) {
    if (isOfCheck(file) && !process.argv.includes('--all')) continue
    const [first, ...rest] = file.split('/')
    const isAlone = isOfCheck(file) || (rest.length === 0 && (place === 'test' || place === 'packages/libp2p'))
    const group = isAlone ? `${place}/${file}` : rest.length === 0 ? place : `${place}/${first}`
    groups.set(group, [...(groups.get(group) ?? []), `${place}/dist/${file}.test.js`])
  }
}

rmSync(folder, { recursive: true, force: true })
rmSync(join(root, 'test/dist/times.jsonl'), { force: true })
mkdirSync(folder, { recursive: true })
for (const [group, files] of groups) {
  const imports = files.map((file) => `import '../../../${file}'\n`).join('')
  // After them, since a test that is declared before a file waits, as some do for what they import, would begin without
  // the others.
  const text = `${imports}import { noteTime } from '../../timed.mjs'\n\nnoteTime()\n`
  writeFileSync(join(folder, `${group.replaceAll('/', '.')}.test.js`), text)
}
