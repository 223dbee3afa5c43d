/**
 * Lines of source per package, at COMMIT and now, without tests and generated modules:
 * `node packages/experiment/bench/lines.mjs COMMIT`
 */
import { execFileSync } from 'node:child_process'

const [then = 'HEAD', now = 'HEAD'] = process.argv.slice(2)
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
const isSource = (path) =>
  /^packages\/[^/]+\/(src|assembly)\/.*\.ts$/.test(path) && !/\.test\.|wasm\/modules\.ts$/.test(path)

/** Files and lines of each package of a commit. */
function sizesAt(commit) {
  const sizes = new Map()
  for (const path of git('ls-tree', '-r', '--name-only', commit, 'packages').split('\n').filter(isSource)) {
    const { files, lines } = sizes.get(path.split('/')[1]) ?? { files: 0, lines: 0 }
    const text = git('show', `${commit}:${path}`)
    sizes.set(path.split('/')[1], { files: files + 1, lines: lines + text.split('\n').length - 1 })
  }
  return sizes
}

const before = sizesAt(then)
const after = sizesAt(now)
const names = [...new Set([...before.keys(), ...after.keys()])].sort()
const cells = ({ files, lines } = { files: 0, lines: 0 }) => `${files} | ${lines.toLocaleString('en')}`
const sum = (sizes) =>
  [...sizes.values()].reduce((all, each) => ({ files: all.files + each.files, lines: all.lines + each.lines }))
console.log('| package | files then | lines then | files now | lines now |\n| --- | --- | --- | --- | --- |')
for (const name of names) console.log(`| ${name} | ${cells(before.get(name))} | ${cells(after.get(name))} |`)
console.log(`| all | ${cells(sum(before))} | ${cells(sum(after))} |`)
