/** Peers whose topology file has ids and no addresses, as people start them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

test('peers whose file has no addresses find each other by a seed, and train', async (t) => {
  const folder = await temporaryFolder()
  const ids = await murmurInTurn(
    ['a', 'b'].map((name) => ['identity', name, '--json']),
    folder
  )
  const peers = ids.map((result) => recordsOf(result)[0]).map(({ name, id }) => `  - { name: ${name}, id: ${id} }\n`)
  await writeFile(join(folder, 'two.yaml'), `graph: ring\npeers:\n${peers.join('')}`)
  await writeFile(join(folder, 'training.yaml'), 'data: { digits: 600 }\ntask: softmax\nrounds: 30\nbatch: 16\n')
  const peer = (name: string, ...more: readonly string[]) =>
    murmur(
      ['peer', join(folder, 'two.yaml'), '--as', name, '--train', join(folder, 'training.yaml'), '--json', ...more],
      folder
    )
  const alone = await peer('a').result
  t.is(alone.code, 2)
  t.regex(alone.stderr, /two\.yaml: b has no address; add addresses, .*, or have it found with --seed or --lan/)

  const [port] = await freePorts(1)
  const seed = murmur(['seed', '--listen', `/ip4/127.0.0.1/tcp/${port}`, '--json'], folder)
  t.teardown(() => seed.process.kill('SIGKILL'))
  const { addresses } = (await seed.telling('its address', ({ kind }) => kind === 'seed')) as { addresses: string[] }
  const running = ['a', 'b'].map((name) => peer(name, '--seed', addresses[0]))
  const results = await Promise.all(running.map(({ result }) => result))
  const models = results.map((result) => {
    t.is(result.code, 0, result.stderr)
    return recordsOf(result).at(-1)?.neighbourDistance as number
  })
  t.true(
    models.every((distance) => distance < 1e-2),
    String(models)
  )
  seed.process.kill('SIGINT')
  t.is((await seed.result).code, 0)
})
