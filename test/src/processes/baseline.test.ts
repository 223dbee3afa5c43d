/** What a swarm is compared with. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'

test('training in one place has the optimiser, the clipping and the joint batches of the swarm', async (t) => {
  const folder = await temporaryFolder()
  const training =
    'task: softmax\ndata: { digits: 300 }\nalgorithm: all-reduce\noptimiser: adam\nclip: 5\naccumulate: 2\n' +
    'rate: { initial: 0.01 }\nbatch: 8\nrounds: 12\n'
  await writeFile(join(folder, 'training.yaml'), training)
  await writeFile(join(folder, 'topology.yaml'), 'graph: ring\npeers: 2\n')
  const args = ['swarm', 'topology.yaml', '--train', 'training.yaml', '--json']
  const result = await murmur(args, folder, undefined, { cwd: folder }).result
  t.is(result.code, 0, result.stderr)
  const summary = recordsOf(result).at(-1) as Record<string, number>
  t.is(summary.samples, 2 * 12 * 8 * 2)
  t.true(Math.abs(summary.lossOfMean - summary.centralisedLoss) < 1e-3, `${summary.lossOfMean}`)
})
