import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerName } from '@murmuration/core'
import { eventsFolder, readEventLogs } from '@murmuration/results'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import type { RunEvent } from '../../base/events.js'
import { EventLogWriter } from './event-log.js'
import { loggedFabric } from './logged-fabric.js'

const self = peerName('a')
const plan = { settings: { rounds: '3' } }
const newFolder = () => mkdtemp(join(tmpdir(), 'murmur-events-'))

function logIn(directory: string, partBytes?: number) {
  const told: RunEvent[] = []
  let time = 0
  const now = () => time++
  const log = new EventLogWriter({
    directory,
    self,
    plan,
    now,
    emit: (event) => told.push(event),
    ...(partBytes === undefined ? {} : { partBytes })
  })
  return { log, told }
}

/** Waits until the log has tried to write its lines. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

test('each line has both clocks; a log is read as what was written', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder)
  log.span('gradient', 0)
  log.sent(peerName('b'), '0.1', 40)
  log.event({ kind: 'note', text: 'something' })
  await log.end(new Error('over'))
  log.span('late', 1)
  const [{ peer, lines }, ...rest] = await readEventLogs(folder)
  t.deepEqual([peer, rest.length], ['a', 0])
  t.deepEqual(
    lines.map(({ kind, t: time }) => [kind, time]),
    [
      ['log', 0],
      ['span', 0],
      ['sent', 1],
      ['end', 3]
    ]
  )
  t.like(lines[3], { kind: 'end', reason: 'over' })
  const file = join(folder, eventsFolder, 'a-000001.jsonl')
  for (const line of (await readFile(file, 'utf8')).trim().split('\n'))
    t.true(Math.abs(Date.parse((JSON.parse(line) as { at: string }).at) - Date.now()) < 600_000)
})

test('vectors of two epochs have different ids, the same at both ends', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder)
  const peers = [self, peerName('b')]
  const message: VectorMessage = { kind: 1, round: 5, vector: new Float32Array(2) }
  const topology = createTopology({ peers, graph: { kind: 'complete' } })
  const links = uniformLinks({ latency: 5 })
  await simulate({ topology, seed: 1, wire: vectorWire, links, cost: () => 0 }, async (fabric) => {
    const logged = loggedFabric(fabric, log)
    for (const epoch of [0, 1])
      if (fabric.self === self) logged.send(peers[1], { ...message, epoch })
      else await logged.receive()
  })
  await log.end()
  const [{ lines }] = await readEventLogs(folder)
  const idsOf = (kind: 'sent' | 'taken') => lines.flatMap((line) => (line.kind === kind ? [line.id] : []))
  t.deepEqual([idsOf('sent'), idsOf('taken')], Array(2).fill(['1.5.0.0', '1.5.0.0.1']))
})

test('each file says which process wrote it, and which it had met', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder, 300)
  log.identify('x')
  const meet = (incarnation: string) =>
    log.event({ kind: 'neighbour', peer: self, neighbour: 'b', state: 'ready', incarnation })
  meet('y')
  log.span('gradient', 0)
  await until(async () => (await readdir(join(folder, eventsFolder)).catch(() => [])).length === 1)
  meet('z')
  for (let line = 0; line < 8; line++) log.span('gradient', line)
  await log.end()
  const [{ incarnation, met }] = await readEventLogs(folder)
  t.is(incarnation, 'x')
  t.deepEqual([...(met?.get('b') ?? [])].sort(), ['y', 'z'])
})

test('the oldest files are removed: a log never holds more than four', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder, 300)
  const names = () => readdir(join(folder, eventsFolder)).catch(() => [])
  for (let part = 1; part <= 6; part++) {
    for (let line = 0; line < 8; line++) log.span('gradient', part)
    await until(async () => (await names()).some((name) => name.endsWith(`${part}.jsonl`)))
  }
  await log.end()
  const kept = (await names()).sort()
  t.is(kept.length, 4)
  t.regex(kept[3], /a-00000[67]\.jsonl/)
  for (const name of kept) t.true((await stat(join(folder, eventsFolder, name))).size < 2000)
  const [{ lines }] = await readEventLogs(folder)
  t.is(lines.filter(({ kind }) => kind === 'log').length, 4, 'each file says whose it is')
})

test('a log that cannot be written is said once and hinders nothing; when it can be again, it says what is missing', async (t) => {
  const folder = await newFolder()
  await writeFile(join(folder, eventsFolder), 'a file where the folder goes')
  const { log, told } = logIn(folder)
  log.span('gradient', 0)
  await until(() => told.length > 0)
  log.span('gradient', 2)
  await new Promise((resolve) => setTimeout(resolve, 600))
  t.is(told.length, 1)
  t.like(told[0], { kind: 'note' })
  t.regex(
    JSON.stringify(told),
    /the event log of a cannot be written: .*training continues, and writing is tried again/
  )
  await rm(join(folder, eventsFolder))
  log.span('gradient', 4)
  await log.end()
  const [{ lines }] = await readEventLogs(folder)
  t.like(
    lines.find(({ kind }) => kind === 'dropped'),
    { kind: 'dropped', lines: 2 }
  )
  t.deepEqual(
    lines.map(({ kind }) => kind),
    ['log', 'dropped', 'span', 'end']
  )
})

test('a log whose first line could not be written has it as soon as it can', async (t) => {
  const folder = await newFolder()
  const file = join(folder, eventsFolder, 'a-000001.jsonl')
  await mkdir(file, { recursive: true })
  const { log, told } = logIn(folder)
  log.span('gradient', 0)
  await until(() => told.length > 0)
  await rm(file, { recursive: true })
  log.span('gradient', 2)
  await log.end()
  const [{ lines }] = await readEventLogs(folder)
  t.deepEqual(
    lines.map(({ kind }) => kind),
    ['log', 'dropped', 'span', 'end']
  )
})

test('where a run is watched, with the token, is in no log', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder)
  log.span('gradient', 0)
  log.event({ kind: 'watch', peer: self, url: 'http://127.0.0.1:9/?token=secret' })
  await log.end()
  t.false((await readFile(join(folder, eventsFolder, 'a-000001.jsonl'), 'utf8')).includes('secret'))
})

test('what a slow disk leaves no room for is dropped and counted; nobody who computed nothing has a log', async (t) => {
  const folder = await newFolder()
  const { log } = logIn(folder)
  const text = 'x'.repeat(100_000)
  for (let k = 0; k < 20; k++) log.event({ kind: 'note', text })
  log.span('gradient', 0)
  await log.end()
  const [{ lines }] = await readEventLogs(folder)
  const dropped = lines.find(({ kind }) => kind === 'dropped')
  t.true(dropped?.kind === 'dropped' && dropped.lines >= 9 && dropped.lines <= 11, JSON.stringify(dropped))
  const idle = await newFolder()
  const { log: other } = logIn(idle)
  other.event({ kind: 'note', text: 'waits' })
  await other.end()
  t.deepEqual(await readdir(idle), [])
})
