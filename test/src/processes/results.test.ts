/** Results of real runs: the same folder as that of a simulation, read by the same command. */
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readResults } from '@murmuration/results'
import anyTest from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'
import { hurry, paced } from './paced.js'
import { isAlive, peerProcesses } from './swarm-processes.js'

const test = anyTest.serial
const posixTest = process.platform === 'win32' ? test.skip : test

const training = 'data: { digits: 600 }\ntask: softmax\nrounds: 10\nbatch: 16\n'

/** A pair of peers, or a single one, and the folder of the results. */
async function prepared(names = ['a', 'b'], rounds = 10) {
  const folder = await temporaryFolder()
  const ports = await freePorts(names.length)
  const topology = join(folder, 'pair.yaml')
  const train = join(folder, 'short.yaml')
  const peers = names.map((name, index) => `{ name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[index]}] }`)
  await writeFile(topology, `graph: complete\npeers: [${peers.join(', ')}]\n`)
  await writeFile(train, training.replace('rounds: 10', `rounds: ${rounds}`))
  const out = join(folder, 'out')
  return { folder, out, args: [topology, '--train', train, '--out', out] as const }
}

test('a swarm writes the folder that a simulation of its files writes, with the same curve but for time and bytes', async (t) => {
  const { folder, out, args } = await prepared()
  const real = await murmur(['swarm', ...args, '--no-baseline', '--json'], folder).result
  t.is(real.code, 0, real.stderr)
  t.is(recordsOf(real).at(-1)?.kind, 'summary')
  const simulated = join(folder, 'simulated')
  const html = readFileSync(join(out, 'report.html'), 'utf8')
  const both = join(folder, 'both')
  const side = ['report', out, simulated, '--out', both]
  const [sim, again, beside, over] = await murmurInTurn(
    [['sim', ...args.slice(0, -1), simulated, '--threads', '1'], ['report', out], side, side],
    folder
  )
  t.is(sim.code, 0, sim.stderr)
  t.deepEqual((await readdir(out)).sort(), [...(await readdir(simulated)), 'events'].sort())
  const [one] = (await readResults(out)).runs
  const [other] = (await readResults(simulated)).runs
  // The final averaging rounds take no virtual time here, so that the simulation has no point before them.
  const learned = ({ curve }: typeof one) =>
    new Map(curve.map(({ samples, round, loss, accuracy }) => [round, { samples, loss, accuracy }]))
  t.is(learned(one).size, 10)
  t.deepEqual(learned(one), learned(other))
  t.deepEqual(one.models, other.models)
  t.is(one.curve.at(-1)?.worstLoss, other.curve.at(-1)?.worstLoss)
  t.is(one.payloadSent, other.payloadSent)
  t.is(one.messages, other.messages)
  t.like(one, { world: 'libp2p', outcome: 'limit', findings: [], peers: 2 })
  t.is(again.code, 0, again.stderr)
  t.is(readFileSync(join(out, 'report.html'), 'utf8'), html)
  t.is(beside.code, 0, beside.stderr)
  t.is((await readResults(both)).runs.length, 2)
  t.regex(
    readFileSync(join(both, 'report.html'), 'utf8'),
    /“D-PSGD · out, real” and “D-PSGD · simulated, simulated” ended with the same parameters, bit for bit, on 2 peers/
  )
  t.is(over.code, 2, 'nothing is written over')
})

/** A swarm whose rounds take a while, when it has told some points of its curve. */
async function underWay() {
  const { folder, out, args } = await prepared(['a', 'b'], 40)
  await appendFile(args[2], await paced(folder))
  const command = murmur(['swarm', ...args, '--no-baseline', '--json'], folder)
  await command.telling('the mean of round 5', ({ kind, round }) => kind === 'evaluation' && Number(round) >= 5)
  return { folder, out, command }
}

test('a swarm that is killed leaves its curve, and the command report draws it', async (t) => {
  const { folder, out, command } = await underWay()
  command.process.kill('SIGKILL')
  t.is((await command.result).signal, 'SIGKILL')
  const report = await murmur(['report', out], folder).result
  t.is(report.code, 0, report.stderr)
  const [run] = (await readResults(out)).runs
  t.is(run.outcome, 'unfinished')
  t.true(run.curve.length >= 1 && run.rounds < 40, `${run.curve.length} points, ${run.rounds} rounds`)
  t.regex(readFileSync(join(out, 'report.html'), 'utf8'), /its process ended, or is still running/)
})

test('when Ctrl-C stops a swarm, all peers end by themselves, no process is left, and the report is written', async (t) => {
  const { out, command } = await underWay()
  const children = peerProcesses(command)
  t.is(children.length, 2)
  command.process.kill('SIGINT')
  const { code, stdout } = await command.result
  t.is(code, 130)
  t.notRegex(stdout, /was killed/, 'a peer did not stop by itself')
  t.deepEqual(children.filter(isAlive), [])
  t.true(existsSync(join(out, 'report.html')))
  t.like((await readResults(out)).runs[0], { outcome: 'unfinished', reason: 'stopped by a signal' })
})

test('a folder that cannot take results is reported before the run, and one in which no peer trained is left as it was', async (t) => {
  const { folder, out, args } = await prepared()
  await mkdir(out)
  await writeFile(join(out, 'mine'), '')
  const [topology] = args
  const nowhere = ['swarm', topology, '--data', './none', '--out', join(folder, 'new')]
  const [taken, wrong] = await murmurInTurn([['swarm', ...args], nowhere], folder)
  t.is(taken.code, 2)
  t.regex(taken.stderr, /--out \S+out: the folder is not empty/)
  t.is(wrong.code, 2)
  t.false(existsSync(join(folder, 'new')))
})

test('a swarm that loses a peer writes the result of the others, and the report names the lost one at its top; code 0 when --min-finished permits it', async (t) => {
  const { folder, out, args } = await prepared(['a', 'b', 'c'], 20)
  await appendFile(args[2], `timeout: 5 s\n${await paced(folder)}`)
  const command = murmur(['swarm', ...args, '--no-baseline', '--min-finished', '2', '--json'], folder)
  await command.saying('"kind":"step"')
  const pid = Number(/"peer":"b","pid":(\d+)/.exec(command.output())?.[1])
  t.true(process.kill(pid, 'SIGKILL'))
  await command.saying('"kind":"lost"')
  await hurry(folder)
  const result = await command.result
  t.is(result.code, 0, result.stderr)
  const [run] = (await readResults(out)).runs
  t.like(run, { outcome: 'limit', rounds: 20, lost: ['b: the process of peer b ended by SIGKILL'], findings: [] })
  t.deepEqual(Object.keys(run.models ?? {}), ['a', 'c'])
  const html = readFileSync(join(out, 'report.html'), 'utf8')
  t.regex(html, /id="finding"[\s\S]*seed 1, continued without b: [\s\S]*id="checks"/)
})

test('peers write the curves of their own models, and their folders make one report, in which none is ranked', async (t) => {
  const { folder, args } = await prepared()
  const [topology, , train] = args
  const outs = ['a', 'b'].map((name) => join(folder, `of-${name}`))
  const identities = ['a', 'b'].map((name) => ['identity', name, '--json'])
  const ids = (await murmurInTurn(identities, folder)).map(({ stdout }) => JSON.parse(stdout).id)
  let text = readFileSync(topology, 'utf8')
  for (const [place, name] of ['a', 'b'].entries())
    text = text.replace(`name: ${name},`, `name: ${name}, id: ${ids[place]},`)
  await writeFile(topology, text)
  const results = await Promise.all(
    ['a', 'b'].map(
      (name, place) => murmur(['peer', topology, '--as', name, '--train', train, '--out', outs[place]], folder).result
    )
  )
  for (const [place, { code, stdout, stderr }] of results.entries()) {
    const peer = 'ab'[place]
    t.is(code, 0, stderr)
    t.regex(stdout, /report: \S+report\.html\n$/)
    const [run] = (await readResults(outs[place])).runs
    t.like(run, { world: 'libp2p', peer, outcome: 'limit', samples: 160 })
    t.true(run.curve.length >= 10)
    t.deepEqual(Object.keys(run.models ?? {}), [peer])
  }
  const all = join(folder, 'all')
  t.is((await murmur(['report', ...outs, '--out', all], folder).result).code, 0)
  const { sweep } = await readResults(all)
  t.deepEqual(
    sweep.methods.map(({ label }) => label),
    ['D-PSGD · peer a', 'D-PSGD · peer b']
  )
  const html = readFileSync(join(all, 'report.html'), 'utf8')
  t.regex(html, /<h2>Side by side<\/h2>/)
  t.notRegex(html, /fastest per round in/)
  const [whole] = (await readResults(all)).timelines
  t.deepEqual(whole.peers, ['a', 'b'])
  t.regex(whole.clocks ?? '', /^By their messages, the clocks of the machines agree within [\d.e-]+ ms/)
  for (const [from, to] of ['ab', 'ba']) {
    const sent = whole.messages.filter((message) => message.from === from && message.to === to)
    t.true(sent.length >= 10, `${from} has sent ${sent.length} of at least 10 vectors`)
  }
  t.deepEqual(
    [...new Set(whole.spans.map(({ peer, kind }) => `${peer} ${kind}`))].filter((text) => /gradient/.test(text)).sort(),
    ['a gradient', 'b gradient']
  )
})

posixTest('results for which the disk has no room end the command with code 8, after the summary', async (t) => {
  const { folder, out, args } = await prepared(['a'])
  // Enough for the records, but not for the report.
  const limits = { fileLimit: 100 }
  const result = await murmur(['swarm', ...args, '--no-baseline', '--json'], folder, undefined, limits).result
  t.is(result.code, 8, result.stderr)
  t.deepEqual(
    recordsOf(result)
      .slice(-2)
      .map(({ kind }) => kind),
    ['summary', 'error']
  )
  t.regex(result.stderr, /report\.html: cannot be written: EFBIG/)
  t.is((await readResults(out)).runs[0].outcome, 'limit')
})
