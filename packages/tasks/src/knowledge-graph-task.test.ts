import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawGraph } from '@murmuration/data'
import test from 'ava'
import { createKnowledgeGraphTask, createKnowledgeGraphTaskSet } from './knowledge-graph-task.js'

const peers = ['a', 'b', 'c']
const drawn = {
  peers,
  seed: 3,
  entities: 40,
  rules: 1,
  scoring: 'complex' as const,
  rank: 24,
  negatives: 6,
  adversarial: 0,
  l2: 0,
  n3: 0,
  clustered: true,
  ranked: 100
}

test('whatever a drawn graph tests follows from what it trains on, by its rules', (t) => {
  const { train, valid, test: tested } = drawGraph({ entities: 60, rules: 2, seed: 4 })
  const known = new Set(Array.from(train.head, (head, n) => `${head} ${train.relation[n]} ${train.tail[n]}`))
  const placeOf = (x: number, relation: number) =>
    train.tail[train.head.findIndex((head, n) => head === x && train.relation[n] === relation)]
  for (const { head, relation, tail } of [valid, tested]) {
    t.true(head.length > 30)
    for (const [n, x] of head.entries()) {
      const r = relation[n]
      const y = tail[n]
      t.false(known.has(`${x} ${r} ${y}`))
      if (r % 6 === 0) t.true(known.has(`${y} ${r} ${x}`), 'symmetric')
      else if (r % 6 === 2) t.true(known.has(`${y} ${r - 1} ${x}`), 'inverse')
      else t.is(placeOf(placeOf(x, r - 2), r - 1), y, 'composed')
      t.true([0, 2, 5].includes(r % 6))
    }
  }
})

test('ComplEx learns what the rules imply', async (t) => {
  const task = await createKnowledgeGraphTask(drawn)
  const x = (await task.initialise(1).run()).slice()
  const { measures: before } = await task.evaluate(x).run()
  for (let round = 0; round < 40; round++)
    for (let first = 0; first + 4 <= task.samples; first += 4) {
      const batch = Uint32Array.from({ length: 4 }, (_, n) => (7919 * (first + n)) % task.samples)
      const { vector } = await task.gradient(x, batch, round).run()
      for (let at = 0; at < x.length; at++) x[at] -= 0.5 * vector[at]
    }
  const { measures } = await task.evaluate(x).run()
  t.true((before?.mrr ?? 1) < 0.2 && (measures?.mrr ?? 0) > 0.7, `${measures?.mrr}`)
})

test('peers share no relation where triples are clustered, unless it is more than a fair part; together they have all', async (t) => {
  const relationsOf = async (clustered: boolean, names: readonly string[]) => {
    const set = await createKnowledgeGraphTaskSet({ ...drawn, clustered, peers: names })
    const tasks = names.map((peer) => set.of(peer))
    const sizes = tasks.map(({ samples }) => samples)
    t.is(
      sizes.reduce((sum, size) => sum + size, 0),
      set.union.samples
    )
    const fair = set.union.samples / names.length
    t.true(Math.max(...sizes) < (clustered ? 1.6 * fair : fair + 1), `${sizes.join(', ')}`)
    t.true(Math.min(...sizes) > 0.5 * fair)
    const own = await createKnowledgeGraphTask({ ...drawn, clustered, peers: names, self: names[1] })
    const batch = Uint32Array.of(1, 5)
    t.deepEqual(own.rows?.keysOf(batch, 2), tasks[1].rows?.keysOf(batch, 2))
    return tasks.map(({ rows, samples }) => {
      const keys = rows?.keysOf(Uint32Array.from({ length: samples }, (_, n) => n)) ?? new Uint32Array()
      return keys.filter((key) => key >= drawn.entities).length
    })
  }
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
  t.is(sum(await relationsOf(true, peers)), 6)
  t.true(sum(await relationsOf(false, peers)) > 14)
  t.true(sum(await relationsOf(true, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])) < 6 + 8)
})

test('each round draws negatives of its own, the same ones whenever it is asked', async (t) => {
  const { rows } = await createKnowledgeGraphTask(drawn)
  const batch = Uint32Array.of(3)
  t.deepEqual(rows?.keysOf(batch, 1), rows?.keysOf(batch, 1))
  t.notDeepEqual(rows?.keysOf(batch, 1), rows?.keysOf(batch, 2))
})

test('a folder of triples is a task, and what is wrong in one is named with line and column', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const write = (name: string, lines: readonly string[]) =>
    writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(''))
  await write('train.txt', ['/m/1\tis in\t/m/2', '/m/2\tis in\t/m/3', '/m/4\tnear\t/m/1'])
  await write('valid.txt', [])
  await write('test.txt', ['/m/1\tis in\t/m/3'])
  const task = await createKnowledgeGraphTask({ ...drawn, folder, self: 'a' })
  t.deepEqual(
    task.schema.map(({ shape }) => shape),
    [
      [4, 48],
      [2, 48]
    ]
  )
  const wrong: readonly (readonly [string, string])[] = [
    ['/m/1\tis in', 'line 2, column 11: found "/m/1→is in"'],
    ['/m/1\t\t/m/2', 'line 2, column 6: found "/m/1→→/m/2"'],
    ['/m/1\tis in\t/m/2\t0.5', 'line 2, column 17: found "/m/1→is in→/m/2→0.5"'],
    ['', 'line 2, column 1: found ""']
  ]
  for (const [line, found] of wrong) {
    await write('valid.txt', ['/m/1\tis in\t/m/2', line, '/m/1\tis in\t/m/2'])
    await t.throwsAsync(createKnowledgeGraphTask({ ...drawn, folder }), {
      message: `${join(folder, 'valid.txt')}: ${found}, expected head, relation and tail with a tab (→) between them`
    })
  }
  await write('valid.txt', [])
  await t.throwsAsync(createKnowledgeGraphTask({ ...drawn, folder, peers: ['a', 'b', 'c', 'd'] }), {
    message: 'found 3 triples to train, expected at least one for each of 4 peers'
  })
  await rm(join(folder, 'test.txt'))
  await mkdir(join(folder, 'test.txt'))
  await t.throwsAsync(createKnowledgeGraphTask({ ...drawn, folder }), {
    message: /test\.txt cannot be read .*expected train.txt, valid.txt and test.txt in a folder, as FB15k has/
  })
})
