/** Peers that cannot be called, as people start them: with a seed that is a relay. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

test('two peers that listen nowhere train over a relay where both allow it; before, they wait and say why', async (t) => {
  const folder = await temporaryFolder()
  const topology = join(folder, 'two.yaml')
  const training = join(folder, 'training.yaml')
  await writeFile(training, 'data: { digits: 100 }\ntask: softmax\nrounds: 10\nbatch: 8\n')
  const start = (...args: readonly string[]) => murmur(args, folder, timeLimit(90_000))
  const seed = start('seed', '--relay', '--listen', '/ip4/127.0.0.1/tcp/0', '--json')
  t.teardown(() => seed.process.kill('SIGKILL'))
  const ids = await murmurInTurn(
    ['a', 'b'].map((name) => ['identity', name, '--json']),
    folder
  )
  const peers = ids.map((result, at) => `  - { name: ${'ab'[at]}, id: ${recordsOf(result)[0].id}, listen: [] }\n`)
  await writeFile(topology, `graph: ring\npeers:\n${peers.join('')}`)
  const told = await seed.telling('its address', ({ kind }) => kind === 'seed')
  const [address] = told.addresses as string[]
  t.is(told.relay, true)

  const peer = (name: string, ...more: readonly string[]) =>
    start('peer', topology, '--as', name, '--train', training, '--json', '--seed', address, '--via', ...more)
  const first = peer('a', '--relay-vectors')
  const shy = peer('b')
  const barred = await first.telling('why it waits', ({ state }) => state === 'barred')
  t.regex(String(barred.reason), /through the relay at .*not allowed there: .*--relay-vectors/)
  shy.process.kill('SIGINT')
  t.is((await shy.result).code, 130)
  t.false(first.output().includes('"kind":"step"'), 'nobody trains alone')

  const results = await Promise.all([first, peer('b', '--relay-vectors')].map(({ result }) => result))
  for (const { code, stderr } of results) t.is(code, 0, stderr)
  const [left, right] = results.map((result) => recordsOf(result).at(-1) ?? {})
  t.is(left.model, right.model)
  t.true((left.samples as number) > 0 && (right.samples as number) > 0)
  const ready = recordsOf(results[1]).find(({ state }) => state === 'ready')
  t.is(ready?.reason, `through the relay at ${address}`)
})
