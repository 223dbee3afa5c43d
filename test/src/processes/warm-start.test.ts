/** A run that starts from the model of another. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadModel } from '@murmuration/experiment/models'
import test from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

test('a run with --init starts from the saved model: with a rate of nearly 0 it ends with the same numbers; the plain SGD beside it, too', async (t) => {
  const folder = await temporaryFolder()
  const [port] = await freePorts(1)
  const at = (name: string) => join(folder, name)
  await writeFile(at('alone.yaml'), `graph: complete\npeers: [{ name: a, addresses: [/ip4/127.0.0.1/tcp/${port}] }]\n`)
  const training = 'task: softmax\ndata: { digits: 300 }\nbatch: 8\n'
  await writeFile(at('long.yaml'), `${training}rounds: 20\n`)
  await writeFile(at('still.yaml'), `${training}rounds: 1\nrate: { initial: 1.0e-38 }\nseed: 2\n`)
  await writeFile(at('small.yaml'), 'task: softmax\ndata: { digits: 300, size: 8 }\n')
  const trained = await murmur(
    ['peer', at('alone.yaml'), '--as', 'a', '--train', at('long.yaml'), '--save', at('first'), '--json'],
    folder
  ).result
  t.is(trained.code, 0, trained.stderr)
  const still = ['swarm', at('alone.yaml'), '--train', at('still.yaml'), '--json']
  const again = await murmur([...still, '--init', at('first'), '--save', at('second')], folder).result
  t.is(again.code, 0, again.stderr)
  const [first, second] = await Promise.all(['first', 'second'].map((name) => loadModel(at(name))))
  // Where a parameter is 0, even such a step shows.
  t.true(second.parameters.every((value, k) => Math.abs(value - first.parameters[k]) < 1e-30))
  const { lossOfMean, centralisedLoss } = recordsOf(again).at(-1) ?? {}
  t.is(centralisedLoss, lossOfMean)
  const wrong = ['swarm', at('alone.yaml'), '--train', at('small.yaml'), '--init', at('first')]
  const [refused, missing] = await murmurInTurn([wrong, [...still, '--init', at('none')]], folder)
  for (const [{ code, stderr }, text] of [
    [refused, /first: has .*\[784, 10\].*; the task has .*\[64, 10\]/],
    [missing, /none: .*no such file/]
  ] as const) {
    t.is(code, 2)
    t.regex(stderr, text)
  }
})
