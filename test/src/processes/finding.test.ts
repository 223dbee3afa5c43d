/**
 * Peers that know only ids, and one that is invited, as people start them: on machines behind a router, where
 * namespaces are permitted.
 */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import { readResults } from '@murmuration/results'
import test from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'
import { type Machine, machines } from './machines.js'

test('peers find each other by a seed; an invited peer joins with one line, trains with them, and no other peer can use the line', async (t) => {
  const [folder, friend, thief] = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()])
  const topology = join(folder, 'three.yaml')
  const training = join(folder, 'training.yaml')
  await writeFile(training, 'data: { digits: 600 }\ntask: softmax\nrounds: 60\nbatch: 8\n')
  const [introducer, alice, bob, carol] = await machines(t, 4)
  const [port, guestPort] = await freePorts(2)
  const on = ({ prefix }: Machine, home: string, ...args: readonly string[]) =>
    murmur(args, home, timeLimit(90_000), { prefix })
  const seed = on(introducer, thief, 'seed', '--listen', `/ip4/${introducer.host}/tcp/${port}`, '--json')
  t.teardown(() => seed.process.kill('SIGKILL'))
  const ids = await murmurInTurn(
    ['a', 'b', 'run-key'].map((name) => ['identity', name, '--json']),
    folder
  )
  const [a, b, runKey] = ids.map((result) => String(recordsOf(result)[0].id))
  const peers = [`{ name: a, id: ${a} }`, `{ name: b, id: ${b} }`, '{ name: c, invited: true }']
  await writeFile(topology, `graph: ring\nrunKey: ${runKey}\npeers:\n${peers.map((peer) => `  - ${peer}\n`).join('')}`)

  const { addresses } = (await seed.telling('its address', ({ kind }) => kind === 'seed')) as { addresses: string[] }
  const seeded = ['--seed', addresses[0]]
  const inviting = ['invite', topology, '--train', training]
  const [invited, unplaced, unseeded, unfound] = await murmurInTurn(
    [
      [...inviting, '--name', 'c', ...seeded],
      [...inviting, '--name', 'd', ...seeded],
      [...inviting, '--name', 'c'],
      ['peer', topology, '--as', 'a', '--train', training]
    ],
    folder
  )
  t.is(invited.code, 0, invited.stderr)
  t.regex(unplaced.stderr, /has no invited peer "d"; add/)
  t.regex(unseeded.stderr, /has no address of a peer; name the address of a seed/)
  t.regex(unfound.stderr, /b has no address; add addresses, .*, or find it with --seed or --lan/)
  t.deepEqual([unplaced.code, unseeded.code, unfound.code], [2, 2, 2])
  const line = invited.stdout.trim()
  t.regex(line, /^murmur1\.[\w-]+$/)

  const start = (machine: Machine, name: string) =>
    on(machine, folder, 'peer', topology, '--as', name, '--train', training, '--json', ...seeded)
  const first = start(alice, 'a')
  await first.telling('its place', ({ kind }) => kind === 'peer')
  const saved = join(friend, 'saved')
  const out = join(friend, 'out')
  const listen = `/ip4/${carol.host}/tcp/${guestPort}`
  const kept = ['--checkpoint', saved, '--every', '20 rounds', '--out', out]
  const joining = on(carol, friend, 'join', line, '--json', '--listen', listen, ...kept)
  await first.saying('admitted c by invitation')
  const refused = await on(bob, thief, 'join', line, '--json').result
  t.is(refused.code, 4, refused.stderr)
  t.regex(refused.stderr, /another peer has used the invitation/)

  // The run begins when the peers are present that the file names by their ids, and waits for no others.
  t.false(first.output().includes('"kind":"step"'))
  const results = await Promise.all([first, start(bob, 'b'), joining].map(({ result }) => result))
  for (const { code, stderr } of results) t.is(code, 0, stderr)
  const summaries = results.map((result) => recordsOf(result).at(-1) ?? {})
  for (const { neighbourDistance } of summaries) t.true((neighbourDistance as number) < 0.1, String(neighbourDistance))
  t.true((summaries[2].samples as number) > 0)
  const own = recordsOf(results[2]).find(({ kind }) => kind === 'peer') as { addresses: string[] }
  t.deepEqual(
    own.addresses.map((address) => address.replace(/\/p2p\/.*/, '')),
    [listen]
  )
  t.true((await readdir(join(saved, 'c'))).some((name) => name.endsWith('.safetensors')))
  const { sweep, runs } = await readResults(out)
  t.like(runs[0], { peer: 'c', outcome: 'limit' })
  t.false(JSON.stringify(sweep).includes(line), 'the line is a secret')
  seed.process.kill('SIGINT')
  t.is((await seed.result).code, 0)
})
