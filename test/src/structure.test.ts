/** Tests of what imports what, lazily and for types, too, and of how much one file or class holds. */
import { existsSync } from 'node:fs'
import test from 'ava'
import { parsedSources, type SourceModule } from './parsed-sources.js'
import { root, textOf } from './repository.js'

const { modules: sources, circles, types } = parsedSources()

const isTest = (file: string) => /\.test\.(support\.)?ts$/.test(file) || file.startsWith('test/')
const packageOf = (file: string) => /^packages\/([^/]+)\//.exec(file)?.[1]

/** The packages that a file imports, as they are written, without `node:` and relative paths. */
function packagesOf({ dependencies }: SourceModule): string[] {
  return dependencies
    .filter(({ coreModule, module }) => !coreModule && !/^[./]/.test(module))
    .map(({ module }) => module)
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}

const imports = sources.flatMap((module) => packagesOf(module).map((name) => ({ file: module.source, package: name })))

/** Which of the repository's packages a package may import: the table in the architecture. */
const allowed = allowedImports()

function allowedImports(): Readonly<Record<string, readonly string[]>> {
  const rows = [...textOf('docs/understand/architecture.md').matchAll(/^\| ([\w-]+) \| .* \|(.*)\|$/gm)]
  const names = rows.map(([, name]) => name).filter((name) => name !== 'package')
  const importsOf = (text: string) => {
    const listed = text.split(/[ ,]+/).filter((word) => names.includes(word))
    return text.includes('all but') ? names.filter((name) => !listed.includes(name)) : listed
  }
  return Object.fromEntries(rows.map(([, name, text]) => [name, importsOf(text)]))
}

test('the tests of the structure see the sources', (t) => {
  t.true(sources.length > 1400, String(sources.length))
  t.true(imports.length > 2000, String(imports.length))
  const lazy = sources.flatMap(({ dependencies }) => dependencies.filter(({ dynamic }) => dynamic))
  t.true(lazy.length > 30, `${lazy.length} imports in expressions`)
})

test('no file imports itself through others, in expressions and for types, too', (t) => {
  t.deepEqual(circles, [])
})

test('packages import each other one way', (t) => {
  const wrong = imports.filter(({ file, package: name }) => {
    const own = packageOf(file)
    const ours = /^@murmuration\/(.+)$/.exec(name)?.[1]
    if (own === undefined || ours === undefined || ours === own || (ours === 'contract' && isTest(file))) return false
    return !allowed[own]?.includes(ours)
  })
  t.deepEqual(wrong, [])
  const packages = new Set(sources.flatMap(({ source }) => packageOf(source) ?? []))
  t.deepEqual(
    [...packages].filter((name) => !(name in allowed)),
    [],
    'docs/understand/architecture.md lists every package'
  )
})

/** The room of a file: its folder, one level deep, or two where one level has rooms itself. */
function roomOf(file: string): string | undefined {
  const [, inPackage = ''] = /^packages\/([^/]+\/src\/.*)\/[^/]+$/.exec(file) ?? []
  const [name, , ...folders] = inPackage.split('/')
  const isDeep = name === 'experiment' && (folders[0] === 'peers' || folders[0] === 'sim')
  return folders.length === 0 ? undefined : [name, ...folders.slice(0, isDeep ? 2 : 1)].join('/')
}

test('the rooms of a package import each other one way', (t) => {
  const arrows = new Map<string, Set<string>>()
  for (const { source, dependencies } of sources.filter((module) => !isTest(module.source))) {
    for (const { resolved } of dependencies) {
      const from = roomOf(source)
      const to = roomOf(resolved)
      if (from === undefined || to === undefined || from === to || packageOf(source) !== packageOf(resolved)) continue
      arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
    }
  }
  const circles: string[] = []
  const ended = new Set<string>()
  const visit = (room: string, way: readonly string[]) => {
    if (way.includes(room)) circles.push([...way.slice(way.indexOf(room)), room].join(' → '))
    if (way.includes(room) || ended.has(room)) return
    for (const next of arrows.get(room) ?? []) visit(next, [...way, room])
    ended.add(room)
  }
  for (const room of arrows.keys()) visit(room, [])
  t.deepEqual(circles, [])
  const ofEngine = [...arrows].filter(([room]) => room.startsWith('engine/'))
  t.true(ofEngine.length > 4, 'the test sees rooms')
})

test('no file imports a package that its package.json does not name', (t) => {
  const rootNames = dependenciesOf('package.json')
  const wrong = imports.filter(({ file, package: name }) => {
    const manifest = `${folderOf(file)}/package.json`
    if (!existsSync(root + manifest)) return false
    const own = (JSON.parse(textOf(manifest)) as { name: string }).name
    return name !== own && !dependenciesOf(manifest).has(name) && !(isTest(file) && rootNames.has(name))
  })
  t.deepEqual(wrong, [])
})

/** The folder of the package.json that a file belongs to. */
function folderOf(file: string): string {
  return file.split('/', file.startsWith('test/') ? 1 : 2).join('/')
}

function dependenciesOf(manifest: string): Set<string> {
  const parsed = JSON.parse(textOf(manifest)) as Record<string, Record<string, string> | undefined>
  return new Set(
    ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(parsed[kind] ?? {})
    )
  )
}

test('tfjs and libp2p are imported by their own packages alone', (t) => {
  const wrong = imports.filter(({ file, package: name }) => {
    if (file.startsWith('examples/')) return false
    if (name.startsWith('@tensorflow/')) return !file.startsWith('packages/tfjs/')
    return /^(libp2p|@libp2p\/.*|@chainsafe\/.*)$/.test(name) && !file.startsWith('packages/libp2p/')
  })
  t.deepEqual(wrong, [])
})

/**
 * Files that import more than 15 others of their package, and how many. The numbers only fall; registries and indexes
 * list things, and main.ts lists the commands, whose files are not counted.
 */
const manyImports: Readonly<Record<string, number>> = {
  'packages/cli/src/main.ts': 16,
  'packages/engine/src/driver/peer.ts': 17,
  'packages/engine/src/epochs/elastic-session.ts': 16,
  'packages/experiment/src/peers/one-peer/run-peer.ts': 27,
  'packages/experiment/src/peers/peer-command.ts': 17,
  'packages/experiment/src/peers/swarm/swarm.ts': 19,
  'packages/experiment/src/sim/run/run.ts': 17,
  'packages/libp2p/src/discovery/discovery.ts': 18,
  'packages/libp2p/src/links/incoming-link.ts': 20,
  'packages/libp2p/src/links/outgoing-link.ts': 19,
  'packages/libp2p/src/network-peer.ts': 23,
  'packages/libp2p/src/node/node.ts': 19,
  'packages/membership/src/member.ts': 21,
  'packages/simulator/src/simulation.ts': 16
}

test('a file imports at most 15 others of its package', (t) => {
  const found = sources
    .filter(({ source }) => !isTest(source) && packageOf(source) !== undefined)
    .map(({ source, dependencies }) => {
      const own = dependencies.filter(
        ({ resolved }) =>
          packageOf(resolved) === packageOf(source) && !/^packages\/cli\/.*-commands?\.ts$/.test(resolved)
      )
      return [source, new Set(own.map(({ resolved }) => resolved)).size] as const
    })
    .filter(([source, count]) => count > 15 && !/\/(registry|index)\.ts$/.test(source))
  t.deepEqual(Object.fromEntries(found), manyImports)
})

/** Classes with more than 20 members, private ones and fields too, and how many. The numbers only fall. */
const manyMembers: Readonly<Record<string, number>> = {
  'packages/cli/src/output/board.ts RunBoard': 24,
  'packages/data/src/files/csv-scanner.ts CsvScanner': 27,
  'packages/engine/src/channels/caller.ts Caller': 32,
  'packages/engine/src/channels/mailbox.ts Mailbox': 59,
  'packages/engine/src/driver/peer.ts Peer': 38,
  'packages/engine/src/driver/program.ts Program': 37,
  'packages/engine/src/driver/program.ts ProgramNode': 23,
  'packages/engine/src/driver/session.ts Session': 35,
  'packages/engine/src/driver/training-run.ts TrainingRun': 24,
  'packages/engine/src/edges/edge.ts Edges': 28,
  'packages/engine/src/edges/push-pull.ts PushPull': 21,
  'packages/engine/src/edges/push-sum.ts PushSum': 40,
  'packages/engine/src/edges/symmetric.ts Symmetric': 42,
  'packages/engine/src/epochs/agreement.ts EpochAgreement': 66,
  'packages/engine/src/epochs/elastic-session.ts ElasticSession': 43,
  'packages/engine/src/epochs/epoch-member.ts EpochMember': 21,
  'packages/engine/src/members/between-rounds.ts BetweenRounds': 28,
  'packages/engine/src/members/members.ts Members': 29,
  'packages/engine/src/messages/message-buffer.ts MessageBuffer': 36,
  'packages/engine/src/messages/wire.ts Wire': 24,
  'packages/engine/src/vectors/vector.ts Arena': 21,
  'packages/experiment/src/advise/search.ts Search': 29,
  'packages/experiment/src/peers/evaluation/evaluator.ts Evaluator': 25,
  'packages/experiment/src/peers/event-log/event-log.ts EventLogWriter': 29,
  'packages/experiment/src/peers/reporting/step-reports.ts StepReports': 21,
  'packages/experiment/src/sim/run/metrics-recorder.ts MetricsRecorder': 26,
  'packages/experiment/src/sim/run/run.ts SimulatedRun': 24,
  'packages/libp2p/src/discovery/discovery.ts Discovery': 30,
  'packages/libp2p/src/fabric.ts NetworkFabric': 26,
  'packages/libp2p/src/links/incoming-link.ts IncomingLink': 35,
  'packages/libp2p/src/links/neighbour.ts Neighbour': 50,
  'packages/libp2p/src/links/outgoing-link.ts OutgoingLink': 37,
  'packages/libp2p/src/links/peer-set.ts PeerSet': 34,
  'packages/libp2p/src/network-peer.ts NetworkPeer': 38,
  'packages/libp2p/src/shaping/flow.ts ShapedFlow': 24,
  'packages/libp2p/src/shaping/shaped-connection.ts ShapedConnection': 24,
  'packages/libp2p/src/vectors/frame-reader.ts FrameReader': 27,
  'packages/libp2p/src/vectors/send-queue.ts SendQueue': 21,
  'packages/libp2p/src/vectors/vector-pool.ts VectorPool': 22,
  'packages/membership/src/detector.ts Detector': 24,
  'packages/membership/src/knowledge.ts Knowledge': 45,
  'packages/membership/src/member.ts Member': 61,
  'packages/membership/src/swarm-view.ts SwarmView': 25,
  'packages/membership/src/view.ts View': 29,
  'packages/rows/src/intent-key-server.ts IntentKeyServer': 35,
  'packages/rows/src/key-peer.ts KeyPeer': 35,
  'packages/rows/src/key-server.ts KeyServer': 37,
  'packages/rows/src/relocating-key-server.ts RelocatingKeyServer': 26,
  'packages/rows/src/stale-key-server.ts StaleKeyServer': 31,
  'packages/simulator/src/connection.ts Connection': 24,
  'packages/simulator/src/endpoint.ts Endpoint': 28,
  'packages/simulator/src/fabric.ts SimulatedFabric': 25,
  'packages/simulator/src/fabric.ts SimulatedWork': 24,
  'packages/simulator/src/kernel.ts Kernel': 34,
  'packages/simulator/src/simulation.ts Simulation': 43,
  'packages/tasks/src/knowledge-graph/knowledge-graph.ts KnowledgeGraph': 24,
  'packages/tasks/src/logistic.ts Logistic': 24,
  'packages/tasks/src/task-thread.ts TaskThread': 21,
  'packages/tasks/src/word-vectors/word-vectors.ts WordVectors': 25,
  'packages/tfjs/src/tfjs-task.ts TfjsTask': 28,
  'packages/vectors/src/codecs/workspace.ts CodecWorkspace': 24,
  'packages/watch/src/board.ts Board': 24
}

test('a class has at most 20 members', (t) => {
  const found = types
    .filter(({ file, members = 0 }) => file.startsWith('packages/') && members > 20)
    .map(({ file, name, members }) => [`${file} ${name}`, members])
  t.deepEqual(Object.fromEntries(found), manyMembers)
})

/** The same thing in several worlds, packages or layers. */
const shared: readonly (readonly [name: string, reason: string])[] = [
  ['Mailbox', 'received messages: by tag in the engine, in the order of arrival in each world'],
  ['Mixing', "a peer's row of W: core's as data, the engine's with the route of one exchange"],
  ['Peer', 'one peer: its training in the engine, its place on the network in libp2p'],
  ['Signer', "a peer's signatures: libp2p's by its identity, the membership's bound to the run"],
  ['Term', 'a weight and what it multiplies: numbers in vectors, values of a record in the engine'],
  ['Wire', "messages of one shape: core's interface for worlds, the engine's class that encodes them"]
]

test('a type name is declared in one file, unless it is listed with a reason', (t) => {
  const declaring = new Map<string, Set<string>>()
  for (const { name, file } of types) declaring.set(name, (declaring.get(name) ?? new Set()).add(file))
  const twice = [...declaring].filter(([, files]) => files.size > 1)
  const listed = new Set(shared.map(([name]) => name))
  const unlisted = twice.filter(([name]) => !listed.has(name))
  t.deepEqual(
    unlisted.map(([name, files]) => `${name}: ${[...files].join(', ')}`),
    [],
    'say in the name what the thing is in its own subject, or import it'
  )
  const known = new Set(twice.map(([name]) => name))
  t.deepEqual(
    [...listed].filter((name) => !known.has(name)),
    [],
    'these are declared only once: remove them from the lists'
  )
})
