/**
 * The files of examples/deploy: that a cluster, systemd and shells accept them, and that they fit each other and the
 * command.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { readTopologyFile } from '@murmuration/files'
import test from 'ava'
import { parse, parseAllDocuments } from 'yaml'
import { murmurInTurn, temporaryFolder } from './command.js'
import { composeSchema, ringSchema, sweepSchema } from './manifest-schemas.js'
import { repositoryFiles, root, textOf } from '../repository.js'

const execute = promisify(execFile)
const folder = 'examples/deploy'
const files = repositoryFiles().filter((file) => file.startsWith(`${folder}/`))
const scripts = files.filter((file) => /\.(sh|slurm)$/.test(file))

const documentsOf = (file: string): unknown[] =>
  parseAllDocuments(textOf(`${folder}/${file}`), { merge: true }).map((each) => each.toJS() as unknown)

/** Whether there is a program, and the message where there is none. */
function tool(name: string) {
  const isThere = (process.env.PATH ?? '').split(delimiter).some((each) => existsSync(join(each, name)))
  return isThere ? { test, note: '' } : { test: test.skip, note: ` (skipped: there is no ${name})` }
}

test('the ring on Kubernetes has fields that there are, and its parts fit', (t) => {
  const [service, { spec }] = ringSchema.parse(documentsOf('kubernetes.yml'))
  const { template } = spec
  t.is(spec.serviceName, service.metadata.name)
  t.deepEqual(service.spec.selector, spec.selector.matchLabels)
  t.deepEqual(template.metadata.labels, spec.selector.matchLabels)
  const volumes = [...template.spec.volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)]
  const names = new Set(volumes.map(({ name }) => name))
  const containers = [...(template.spec.initContainers ?? []), ...template.spec.containers]
  for (const { name } of containers.flatMap(({ volumeMounts }) => volumeMounts)) t.true(names.has(name), name)
  const [{ ports = [], readinessProbe }] = template.spec.containers
  t.deepEqual(
    ports.map(({ name, containerPort }) => [name, containerPort]),
    service.spec.ports.map(({ name, port }) => [name, port])
  )
  t.true(ports.some(({ name }) => name === readinessProbe?.httpGet.port))
})

test('the sweep on Kubernetes has as many parts as pods', (t) => {
  const [{ spec }] = sweepSchema.parse(documentsOf('sweep.yml'))
  t.regex(spec.template.spec.containers[0].args?.[0] ?? '', new RegExp(`--part "\\$part/${spec.completions}" `))
})

test('a field that is misspelt is found', (t) => {
  const [service, set] = documentsOf('kubernetes.yml') as { spec: Record<string, unknown> }[]
  set.spec.replicass = 4
  t.regex(ringSchema.safeParse([service, set]).error?.message ?? '', /replicass/)
})

test('the containers of the compose file are confined, and each has the key and the data of its own peer alone', (t) => {
  const { services, volumes } = composeSchema.parse(parse(textOf(`${folder}/compose.yml`), { merge: true }))
  t.is(Object.keys(services).length, 4)
  for (const [name, service] of Object.entries(services)) {
    t.is(service.hostname, name)
    t.deepEqual(
      service.volumes.map((each) => each.split(':')[0]).filter((each) => !each.endsWith('.yaml')),
      [`./run/keys/${name}.key`, name.replace('murmur', 'data')]
    )
  }
  t.deepEqual(
    Object.keys(volumes),
    Object.keys(services).map((name) => name.replace('murmur', 'data'))
  )
})

test('every option that the files of examples/deploy give is one of the command', async (t) => {
  const commands = ['peer', 'sim', 'identity', 'topology']
  const help = await murmurInTurn(
    commands.map((name) => [name, '--help']),
    await temporaryFolder()
  )
  const known = new Map(commands.map((name, place) => [name, new Set(help[place].stdout.match(/--[a-z-]+/g))]))
  let count = 0
  for (const file of files.filter((each) => !each.endsWith('.md'))) {
    const text = textOf(file)
      .replaceAll(/ *\\\n */g, ' ')
      .replaceAll(/^ *#.*$/gm, '')
    for (const [, name, rest] of text.matchAll(
      /(?:murmur\.js|\$murmur|npx murmur|"\$try") (peer|sim|identity|topology) ((?:.|\n {6,})*)/g
    )) {
      for (const [option] of rest.matchAll(/(?<=[\s"])--[a-z-]+/g)) {
        t.true(known.get(name)?.has(option), `${file}: murmur ${name} ${option}`)
        count++
      }
    }
  }
  t.true(count >= 25, `${count} options were seen`)
})

test('the scripts are read by a shell', async (t) => {
  t.true(scripts.length >= 5)
  for (const script of scripts) await t.notThrowsAsync(execute('sh', ['-n', root + script]), script)
})

const shellcheck = tool('shellcheck')
shellcheck.test(`the scripts have nothing that shellcheck finds${shellcheck.note}`, async (t) => {
  await t.notThrowsAsync(execute('shellcheck', ['-s', 'sh', ...scripts.map((script) => root + script)]))
})

const analyze = tool('systemd-analyze')
analyze.test(`systemd takes the unit, and finds little that it may do${analyze.note}`, async (t) => {
  const unit = `${root}${folder}/murmur@.service`
  const { stderr } = await execute('systemd-analyze', ['verify', unit])
  t.is(stderr, '')
  const { stdout } = await execute('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit])
  t.regex(stdout, /Overall exposure level .* OK/)
})

test('prepare.sh makes keys that only their owner reads, and a topology of the machines', async (t) => {
  const run = join(await temporaryFolder(), 'run')
  const murmur = `${process.execPath} ${root}packages/cli/bin/murmur.js`
  const machines = ['alice.example.org', 'bob=192.0.2.7']
  await execute('sh', [`${root}${folder}/prepare.sh`, run, ...machines], { env: { ...process.env, MURMUR: murmur } })
  const { peers } = await readTopologyFile(join(run, 'topology.yaml'))
  t.deepEqual(
    peers.map(({ name, addresses }) => [String(name), addresses]),
    [
      ['alice', ['/dns4/alice.example.org/tcp/4001']],
      ['bob', ['/ip4/192.0.2.7/tcp/4001']]
    ]
  )
  for (const { name, id } of peers) {
    t.regex(id ?? '', /^12D3KooW/)
    t.is((await stat(join(run, 'keys', `${name}.key`))).mode & 0o777, 0o600)
  }
  t.is(await readFile(join(run, 'machines'), 'utf8'), 'alice alice.example.org\nbob 192.0.2.7\n')
})

test('over-ssh.sh names machines as ssh and scp have them, an IPv6 address in brackets for scp alone', async (t) => {
  const run = await temporaryFolder()
  await writeFile(join(run, 'machines'), 'a a.example.org\nb me@2001:db8::1\n')
  for (const name of ['ssh', 'scp']) await writeFile(join(run, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${run}${delimiter}${process.env.PATH}` }
  const { stdout } = await execute('sh', [`${root}${folder}/over-ssh.sh`, run, 'start'], { env })
  for (const [machine, address] of [
    ['a.example.org', 'a.example.org'],
    ['me@2001:db8::1', 'me@[2001:db8::1]']
  ]) {
    t.true(stdout.includes(`\nssh ${machine} umask 077`), stdout)
    t.true(stdout.includes(`train.yaml ${address}:murmur-run/\n`), stdout)
  }
})
