/** A command must not load more than it needs: libp2p and TensorFlow.js take longer to load than most answers take. */
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { filesUnder, root, textOf } from './repository.js'

/**
 * Imports of compiled modules, without types, and what they require at once. Imports in expressions come later, if at
 * all.
 */
const statement = /^(?:(?:(?:import|export)\b[^'"\n]*\bfrom|\} from|import) |export const \w+ = require\()'([^']+)'/gm

/** The third-party packages that are loaded with a file of the repository. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set()
  seen.add(file)
  const loaded = [...textOf(file).matchAll(statement)].flatMap(([, specifier]) => {
    if (specifier.startsWith('@murmuration/')) return [...loadedWith(pathOf(specifier), seen)]
    if (specifier.startsWith('#')) return [...loadedWith(ownFile(file, specifier), seen)]
    return specifier.startsWith('.')
      ? [...loadedWith(posix.join(posix.dirname(file), specifier), seen)]
      : [specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')]
  })
  return new Set(loaded)
}

/** A file of the same package, by a name in the `imports` of its package.json. */
function ownFile(file: string, specifier: string): string {
  const folder = file.split('/', 2).join('/')
  const { imports } = JSON.parse(textOf(`${folder}/package.json`)) as {
    readonly imports: Readonly<Record<string, { readonly default: string }>>
  }
  const [name] = Object.keys(imports).filter((each) => specifier.startsWith(each.split('*')[0]))
  const [start, end = ''] = name.split('*')
  const path = specifier.slice(start.length, specifier.length - end.length)
  return posix.join(folder, imports[name].default.replace('*', path))
}

/** The entry file of one of the repository's packages, relative to the root. */
const pathOf = (specifier: string) => fileURLToPath(import.meta.resolve(specifier)).slice(root.length)

/** Files and packages that take long to load. */
const heavy = ['packages/libp2p/dist/libraries/network.js', '@tensorflow/tfjs-core']

for (const file of [
  'cli/dist/main',
  'cli/dist/completion/completion-command',
  'cli/dist/sim/sim-command',
  'experiment/dist/peers/index',
  'experiment/dist/peers/swarm/swarm-child',
  'experiment/dist/sim/sweep/run-worker'
]) {
  test(`neither libp2p nor TensorFlow.js is loaded with the command's ${file}`, (t) => {
    const files = new Set<string>()
    const loaded = loadedWith(`packages/${file}.js`, files)
    t.true(loaded.size > 2, 'the test sees imports')
    t.deepEqual(
      heavy.filter((name) => loaded.has(name) || files.has(name)),
      []
    )
  })
}

test('until a command is called, commander and little else is loaded: no schemas, and no registry', (t) => {
  const files = new Set<string>()
  const loaded = [...loadedWith('packages/cli/dist/main.js', files)].filter((name) => !name.startsWith('node:'))
  t.deepEqual(loaded.sort(), ['chalk', 'commander'])
  const packages = new Set([...files].map((file) => file.split('/')[1]))
  t.deepEqual([...packages].sort(), ['cli', 'core', 'experiment', 'files'])
  t.true(files.size < 40, `${files.size} files`)
})

test('what creates peers and tasks loads them', (t) => {
  const files = new Set<string>()
  const loaded = ['libp2p/dist/open-peer.js', 'tfjs/dist/task.js'].flatMap((file) => [
    ...loadedWith(`packages/${file}`, files)
  ])
  for (const name of heavy) t.true(loaded.includes(name) || files.has(name), name)
})

test('libraries are bundled: those of libp2p for what every command needs, and for peers', (t) => {
  const importOf = /(?:^import|^\} from|\bfrom|\bimport\() ?"([@\w./:-]+)"/gm
  const folder = 'packages/libp2p/dist/libraries'
  const shared = filesUnder(folder).filter((file) => /\/shared\.js$/.test(file))
  const files = ['base', 'network', 'webrtc', 'websockets'].map((name) => `${folder}/${name}.js`)
  for (const file of [...files, ...shared, 'packages/topology/dist/libraries/matrices.js']) {
    const imported = [...textOf(file).matchAll(importOf)].map((match) => match[1])
    const others = imported.filter(
      (each) => each !== './shared.js' && !builtinModules.includes(each.replace(/^node:/, ''))
    )
    // Native, and loaded only by who listens for tabs.
    const isNative = (each: string) => file.endsWith('/webrtc.js') && each.startsWith('node-datachannel')
    t.deepEqual(
      others.filter((each) => !isNative(each)),
      [],
      `${file}: npm run build bundles it`
    )
  }
  const licences = textOf('packages/libp2p/dist/libraries/LICENSES.txt')
  for (const name of ['libp2p', '@chainsafe/libp2p-noise', '@noble/curves', 'multiformats'])
    t.true(licences.includes(`${name} `), name)
})

test('until it computes, a tab loads no tasks, and nothing that reads data', (t) => {
  const files = new Set<string>()
  loadedWith('packages/browser/dist/index.js', files)
  t.true(files.has('packages/tasks/dist/registry.js'), 'the test sees the records of tasks')
  t.deepEqual(
    [...files].filter((file) =>
      /tasks\/dist\/(?!load)[\w-]+-task\.js$|data\/dist\/(open-data|local-data|files)\.js$/.test(file)
    ),
    []
  )
})

test('a thread that computes loads no more than its task needs: no schemas, and no decoders of files', (t) => {
  const loaded = ['tasks/dist/worker-thread.js', 'tfjs/dist/task.js'].flatMap((file) => [
    ...loadedWith(`packages/${file}`)
  ])
  const unneeded = ['zod', 'csv-parse', 'fast-png', 'jpeg-js', 'nanotar', 'hyparquet']
  t.true(loaded.includes('@tensorflow/tfjs-layers'))
  t.deepEqual(
    unneeded.filter((name) => loaded.includes(name)),
    []
  )
})

test('TensorFlow.js is required and not imported, which would take several times as long', (t) => {
  const files = filesUnder('packages/tfjs/dist').filter(
    (file) => file.endsWith('.js') && !/\.(test|browser)\./.test(file)
  )
  t.true(files.length > 20)
  t.deepEqual(
    files.filter((file) => /^(?:import |\} from ).*'@tensorflow\//m.test(textOf(file))),
    []
  )
})
