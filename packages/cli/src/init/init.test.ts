import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { algorithms } from '@murmuration/algorithms'
import { InputError, peerName, StoppedError } from '@murmuration/core'
import { readTopologyFile } from '@murmuration/files'
import test from 'ava'
import { makePlan, readTrainingFile } from '@murmuration/experiment'
import { tasks } from '@murmuration/experiment/tasks'
import { choicesOf, defaultChoices, graphs, type InitFlags } from './choices.js'
import { initialise, runInit } from './init-command.js'
import { askChoices } from './questions.js'

const emptyFolder = () => mkdtemp(join(tmpdir(), 'murmur-init-'))
const pipes = () => ({ input: new PassThrough(), output: new PassThrough() })

async function written(flags: InitFlags) {
  const folder = await emptyFolder()
  const { topology, train } = await initialise(folder, choicesOf(flags))
  return { file: await readTopologyFile(topology), training: await readTrainingFile(train), topology, train }
}

test('without options the files say what runs without files', async (t) => {
  const { file, training } = await written({ yes: true })
  t.deepEqual(training, await readTrainingFile(undefined))
  t.deepEqual(file.graph, { kind: 'ring' })
  t.is(file.topology.peers.length, 4)
})

test('every graph and every algorithm of the registry can be begun with', async (t) => {
  for (const { kind } of graphs) t.is(kind, (await written({ graph: kind, peers: '8' })).file.graph.kind)
  for (const { name, needs } of algorithms) {
    const graph = name === 'relay-sgd' ? 'star' : 'complete'
    const task = needs.dual === true ? 'svm' : 'mlp'
    const { training, topology, train } = await written({ algorithm: name, graph, peers: '5', task })
    t.is(training.algorithm.name, name)
    const follows = 'collective' in (algorithms.find((each) => each.name === name)?.options.shape ?? {})
    t.is(training.algorithm.collective, follows ? 'auto' : undefined)
    await t.notThrowsAsync(makePlan({ topology, train }), name)
  }
})

test('every kind of task of the registry has data that suits it, its options, and the partition that is asked for', async (t) => {
  for (const { kind, learnsFromData } of tasks) {
    const { training, topology, train } = await written({
      task: kind,
      ...(learnsFromData ? { partition: 'label' } : {})
    })
    t.is(training.task.kind, kind)
    t.is(training.partition, learnsFromData ? 'label' : 'equal')
    t.is(/^(data|test|partition):/m.test(await readFile(train, 'utf8')), learnsFromData, kind)
    await t.notThrowsAsync(makePlan({ topology, train }), kind)
  }
  t.is((await written({ task: 'logistic' })).training.data, 'gaussians')
  t.deepEqual((await written({ partition: 'dirichlet:0.3' })).training.partition, { dirichlet: 0.3 })
})

test('a random graph has neighbours for as few peers as there are', async (t) => {
  for (const graph of ['random-regular', 'erdos-renyi', 'small-world'])
    for (const peers of ['3', '4', '5', '9'])
      t.is((await written({ graph, peers })).file.topology.peers.length, Number(peers), `${graph} of ${peers}`)
  t.deepEqual((await written({ graph: 'random-regular', peers: '2' })).file.graph, {
    kind: 'random-regular',
    degree: 1,
    seed: 1
  })
})

test('names are machines: a line each, to be replaced by that of murmur identity', async (t) => {
  const folder = await emptyFolder()
  const text = await runInit(folder, { peers: 'alice, bob', algorithm: 'parameter-server' }, pipes())
  const file = await readTopologyFile(join(folder, 'topology.yaml'))
  t.deepEqual(file.topology.peers, [peerName('alice'), peerName('bob')])
  t.deepEqual(
    file.servers.map(({ name }) => name),
    [peerName('server')]
  )
  t.regex(text, /identity alice\n.* peer \S+topology\.yaml --as alice --train \S+train\.yaml$/)
})

test('paths are meant from the current folder, and written as from the files', async (t) => {
  const folder = await emptyFolder()
  const data = join(folder, 'my data')
  await writeFile(data, '1,2\n')
  const { train } = await initialise(join(folder, 'deep/inside'), choicesOf({ data }))
  t.regex(await readFile(train, 'utf8'), /^data: \{ path: "\.\.\/\.\.\/my data" \}/m)
  t.deepEqual((await readTrainingFile(train)).data, { path: data })
})

test('a folder of photos is scaled to one size, another folder is not', async (t) => {
  const folder = await emptyFolder()
  const photos = join(folder, 'photos')
  const tables = join(folder, 'tables')
  await mkdir(join(photos, 'cat'), { recursive: true })
  await writeFile(join(photos, 'cat/1.jpg'), '')
  await mkdir(tables)
  await writeFile(join(tables, 'a.csv'), '1,2\n')
  const dataOf = async (data: string, task: string) => (await written({ data, task })).training.data
  t.deepEqual(await dataOf(photos, 'cnn'), { path: photos, size: 64 })
  t.deepEqual(await dataOf(tables, 'softmax'), { path: tables })
})

test('no file is overwritten, and what is there stays as it is', async (t) => {
  const folder = await emptyFolder()
  await writeFile(join(folder, 'train.yaml'), 'mine')
  const error = await t.throwsAsync(runInit(folder, { yes: true }, pipes()), { instanceOf: InputError })
  t.regex(error.message, /found \S+train\.yaml, .*overwrites no file/)
  t.is(await readFile(join(folder, 'train.yaml'), 'utf8'), 'mine')
  t.deepEqual(await readdir(folder), ['train.yaml'])
})

test('choices that do not fit are refused, and nothing is written', async (t) => {
  const folder = join(await emptyFolder(), 'new')
  const refused: readonly (readonly [InitFlags, RegExp])[] = [
    [{ graph: 'hypercube', peers: '5' }, /found 5 peers, expected a power of two/],
    [{ algorithm: 'relay-sgd' }, /RelaySGD needs a tree/],
    [{ algorithm: 'dspgd' }, /did you mean "dpsgd"/],
    [{ data: 'minst' }, /found no minst, expected digits, gaussians, sentences, mnist.*did you mean "mnist"/],
    [{ task: 'mpl' }, /found no mpl, expected mlp, .* or a path; did you mean "mlp"/],
    [{ task: 'logistic', data: 'digits' }, /--data digits: the task logistic cannot .*expected gaussians or a path/],
    [{ task: 'cnn', data: 'gaussians' }, /--data gaussians: the task cnn cannot .*expected digits, mnist/],
    [{ task: 'quadratic', data: 'digits' }, /--data digits: the task quadratic generates its own data; omit --data/],
    [{ task: 'quadratic', partition: 'label' }, /--partition label: the task quadratic generates its own data/],
    [{ partition: 'dirichlet' }, /--partition: found "dirichlet", expected .*dirichlet:ALPHA/],
    [{ partition: 'local' }, /--partition local: expected equal, label or dirichlet:ALPHA; .*"partition: local"/],
    [{ peers: '0' }, /topology\.yaml.*peers/],
    [{ peers: 'alice,,bob' }, /expected a number of peers such as 4, or names/]
  ]
  for (const [flags, message] of refused)
    await t.throwsAsync(async () => runInit(folder, flags, pipes()), { instanceOf: InputError, message })
  t.false(existsSync(folder))
})

/** A terminal whose user answers each question when it is drawn: with Enter, or with the keys given for it. */
function typing(keys: Readonly<Record<string, string>> = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  const questions = [
    'Where do',
    'How many',
    'What are',
    'Which peers',
    'What is learned',
    'which data',
    'the path',
    'divided',
    'which algo'
  ]
  const left = new Set(questions)
  output.on('data', (data) => {
    const question = [...left].find((each) => String(data).includes(each))
    if (question === undefined) return
    left.delete(question)
    setImmediate(() => input.write(keys[question] ?? enter))
  })
  return { input, output }
}

const enter = '\r'
const down = '\u001b[B'
const up = '\u001b[A'
const interrupt = '\u0003'

test('whoever presses Enter at every question gets the defaults', async (t) => {
  t.deepEqual(await askChoices(typing()), { ...defaultChoices, data: 'digits', partition: 'equal' })
})

test('only what fits the answers before is offered', async (t) => {
  // For five peers, torus and hypercube are not offered; for a directed graph, algorithms that need symmetric weights
  // or a tree are not.
  const graph = graphs.findIndex(({ kind }) => kind === 'exponential') - 2
  const algorithm = algorithms
    .slice(
      0,
      algorithms.findIndex(({ name }) => name === 'gossip-pga')
    )
    .filter(({ needs }) => needs.weights !== 'symmetric' && needs.graph === undefined).length
  const keys = {
    'How many': `5${enter}`,
    'Which peers': down.repeat(graph) + enter,
    'which algo': down.repeat(algorithm) + enter
  }
  const choices = await askChoices(typing(keys))
  t.deepEqual([choices.peers, choices.graph, choices.algorithm], [5, 'exponential', 'gossip-pga'])
})

test('data are asked for where the task learns from them, and only those that suit it are offered', async (t) => {
  const task = (sought: string) => down.repeat(tasks.findIndex(({ kind }) => kind === sought)) + enter
  t.false('data' in (await askChoices(typing({ 'What is learned': task('quadratic') }))))
  const logistic = await askChoices(typing({ 'What is learned': task('logistic'), 'divided': down + enter }))
  t.deepEqual([logistic.task, logistic.data, logistic.partition], ['logistic', 'gaussians', 'label'])
})

test('machines are asked for by name, and data of one’s own by path', async (t) => {
  const folder = await emptyFolder()
  const keys = {
    'Where do': down + enter,
    'What are': `ann, bob${enter}`,
    'which data': up + enter,
    'the path': folder + enter
  }
  const choices = await askChoices(typing(keys))
  t.deepEqual(choices.peers, [peerName('ann'), peerName('bob')])
  t.is(choices.data, folder)
})

test('Ctrl-C at a question ends it, and nothing is written', async (t) => {
  const folder = await emptyFolder()
  await t.throwsAsync(runInit(folder, {}, typing({ 'which data': interrupt })), { instanceOf: StoppedError })
  t.deepEqual(await readdir(folder), [])
})

test('without a terminal nothing is asked', async (t) => {
  const folder = await emptyFolder()
  t.regex(await runInit(folder, {}, pipes()), /swarm .*topology\.yaml --train .*\n.* sim /)
})
