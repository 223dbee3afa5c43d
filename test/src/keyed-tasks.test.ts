/** Several peers learn tasks with keyed rows as well as one worker, whichever peers hold the rows. */
import { keyAlgorithms, type RowsAlgorithm } from '@murmuration/algorithms'
import type { KeyCounts, PeerName } from '@murmuration/core'
import {
  createKnowledgeGraphTaskSet,
  createMatrixFactorisationTaskSet,
  createWordVectorsTaskSet
} from '@murmuration/tasks'
import test from 'ava'
import { runOf } from './keyed-runs.js'
import { inSimulator } from './worlds.js'

const ratings = { users: 40, items: 30, ratings: 1500, rank: 2, noise: 0.2, zipf: 1, l2: 0.01, seed: 5 }

for (const algorithm of keyAlgorithms) {
  test.serial(
    `the simulator: ${algorithm.title}: matrix factorisation gets as close to the noise with 3 peers of 2 workers as with one worker`,
    async (t) => {
      const lossOf = async (peers: number, options: Readonly<Record<string, unknown>>) => {
        const set = await createMatrixFactorisationTaskSet({
          ...ratings,
          peers: Array.from({ length: peers }, (_, place) => `p${place}`)
        })
        const settings = { rounds: 20, options, rate: (round: number) => 0.25 * 0.9 ** round }
        const { models, losses } = await runOf(inSimulator, algorithm, peers, (place) => set.of(`p${place}`), settings)
        const { loss } = await set.union.evaluate(models.get('p0' as PeerName) as Float32Array).run()
        t.true(losses[losses.length - 1] < losses[0] / 3)
        return loss
      }
      const one = await lossOf(1, {})
      const three = await lossOf(3, { workers: 2, blocking: true })
      t.true(one < 3 * ratings.noise ** 2, `${one}`)
      t.true(three < 1.15 * one, `${three} with three peers, ${one} with one worker`)
    }
  )
}

test.serial('with blocks that move, nearly all accesses are local; where rows stay, a third at most', async (t) => {
  const set = await createMatrixFactorisationTaskSet({ ...ratings, peers: ['p0', 'p1', 'p2'] })
  const fractionOf = async (name: string) => {
    const algorithm = keyAlgorithms.find((each) => each.name === name) as RowsAlgorithm
    const options = { workers: 2, blocking: true }
    const { counts } = await runOf(inSimulator, algorithm, 3, (place) => set.of(`p${place}`), {
      rounds: 3,
      options,
      finalRounds: 0,
      rate: () => 0.1
    })
    const all = [...counts.values()]
    const sum = (of: (each: KeyCounts) => number) => all.reduce((total, each) => total + of(each), 0)
    return {
      local: sum(({ local }) => local) / sum(({ local, remote, queued }) => local + remote + queued),
      moved: sum(({ moved }) => moved)
    }
  }
  const lapse = await fractionOf('lapse')
  const local = await fractionOf('classic-local-server')
  const classic = await fractionOf('classic-server')
  t.is(lapse.local, 1)
  t.true(lapse.moved > 100)
  t.true(local.local > 0.2 && local.local < 0.45, `${local.local}`)
  t.deepEqual(classic, { local: 0, moved: 0 })
})

const graph = {
  seed: 5,
  entities: 30,
  rules: 1,
  scoring: 'complex' as const,
  rank: 16,
  negatives: 4,
  adversarial: 0.5,
  l2: 0,
  n3: 0,
  clustered: true,
  ranked: 100
}

for (const algorithm of keyAlgorithms) {
  test.serial(
    `the simulator: ${algorithm.title}: a knowledge graph is learned as well by 3 peers of 2 workers as by one worker`,
    async (t) => {
      const mrrOf = async (peers: readonly string[], options: Readonly<Record<string, unknown>>) => {
        const set = await createKnowledgeGraphTaskSet({ ...graph, peers })
        const settings = { rounds: 15, options, rate: () => 0.5 }
        const { models } = await runOf(inSimulator, algorithm, peers.length, (place) => set.of(`p${place}`), settings)
        const { measures } = await set.union.evaluate(models.get('p0' as PeerName) as Float32Array).run()
        return measures?.mrr ?? 0
      }
      const one = await mrrOf(['p0'], {})
      const three = await mrrOf(['p0', 'p1', 'p2'], { workers: 2 })
      t.true(one > 0.6, `${one}`)
      t.true(three > 0.85 * one, `${three} with three peers, ${one} with one worker`)
    }
  )
}

const text = {
  seed: 5,
  minCount: 1,
  words: 30,
  length: 1200,
  synonyms: 5,
  rank: 8,
  window: 1,
  negatives: 3,
  subsample: 0
}

for (const algorithm of keyAlgorithms) {
  test.serial(
    `the simulator: ${algorithm.title}: word vectors have the loss of one worker with 3 peers of 2 workers`,
    async (t) => {
      const endOf = async (peers: readonly string[], options: Readonly<Record<string, unknown>>) => {
        const set = await createWordVectorsTaskSet({ ...text, peers })
        const settings = { rounds: 4, options, rate: () => 0.2 }
        const { models } = await runOf(inSimulator, algorithm, peers.length, (place) => set.of(`p${place}`), settings)
        const before = await set.union.evaluate(await set.union.initialise(1).run()).run()
        return { before, after: await set.union.evaluate(models.get('p0' as PeerName) as Float32Array).run() }
      }
      const one = await endOf(['p0'], {})
      const three = await endOf(['p0', 'p1', 'p2'], { workers: 2 })
      t.true(one.after.loss < 0.95 * one.before.loss, `${one.after.loss}, and ${one.before.loss} at first`)
      t.true(
        Math.abs(three.after.loss / one.after.loss - 1) < 0.03,
        `${three.after.loss}, and ${one.after.loss} of one`
      )
    }
  )
}

test.serial('relations that are clustered stay at the peer that uses them: with Lapse fewer rows move', async (t) => {
  const movedWith = async (clustered: boolean) => {
    const peers = ['p0', 'p1', 'p2']
    const set = await createKnowledgeGraphTaskSet({ ...graph, clustered, negatives: 1, peers })
    const settings = { rounds: 2, finalRounds: 0, rate: () => 0.1 }
    const { counts } = await runOf(inSimulator, keyAlgorithms[2], 3, (place) => set.of(`p${place}`), settings)
    return [...counts.values()].reduce((sum, { moved }) => sum + moved, 0)
  }
  const clustered = await movedWith(true)
  const mixed = await movedWith(false)
  t.true(clustered < 0.9 * mixed, `${clustered}, and ${mixed} at random`)
})
