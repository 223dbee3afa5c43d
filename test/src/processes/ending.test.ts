/** How the command ends at a signal. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { freePorts, murmur, temporaryFolder } from './command.js'

/** Runs this text in the process of the command, before it. */
const before = (text: string) => ({
  env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(text)}` }
})

test('the first process of a container ends at a signal from the beginning, and in good order once it can', async (t) => {
  const pretend = `Object.defineProperty(process, 'pid', { value: 1 });
    process.on('exit', () => console.log('listeners:', process.listenerCount('SIGTERM')))`
  const version = murmur(['--version'], await temporaryFolder(), undefined, before(pretend))
  t.regex((await version.result).stdout, /listeners: 1/)
  const seed = murmur(['seed', '--listen', '/ip4/127.0.0.1/tcp/0'], await temporaryFolder(), undefined, before(pretend))
  await seed.saying('/ip4/127.0.0.1/tcp/')
  seed.process.kill('SIGTERM')
  const { code, stdout } = await seed.result
  t.is(code, 0)
  t.regex(stdout, /listeners: 1/)
})

test('a command ends once it is done, or has failed, whatever is still under way', async (t) => {
  for (const [args, code, line] of [
    [['algorithms', '--json'], 0, /\}\n$/],
    [['topology', 'missing.yaml', '--json'], 2, /"kind":"error","code":2.*\n$/]
  ] as const) {
    const outcome = await murmur([...args], await temporaryFolder(), undefined, before('setInterval(() => {}, 1e6)'))
      .result
    t.is(outcome.code, code)
    t.regex(outcome.stdout, line)
  }
})

test('a peer that a signal has stopped ends, whatever is still under way, such as a name lookup', async (t) => {
  const folder = await temporaryFolder()
  const ports = await freePorts(2)
  const peers = ['a', 'b'].map((name, place) => `{ name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[place]}] }`)
  await writeFile(join(folder, 'two.yaml'), `graph: ring\npeers: [${peers.join(', ')}]\n`)
  const args = ['peer', join(folder, 'two.yaml'), '--as', 'a', '--json']
  const peer = murmur(args, folder, undefined, before('setInterval(() => {}, 1e6)'))
  await peer.saying('waits up to')
  peer.process.kill('SIGTERM')
  const { code, stdout } = await peer.result
  t.is(code, 130)
  t.regex(stdout, /"kind":"error","code":130.*\n$/)
})
