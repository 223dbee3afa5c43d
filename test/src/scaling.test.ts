/** The study of scaling: the simulator takes as long for a step as its layer-wise model, and its page says so. */
import test from 'ava'
import { textOf } from './repository.js'

interface Run {
  readonly network: string
  readonly batch: number
  readonly nodes: number
  readonly published: string
}

const folder = new URL('../../studies/scaling/', import.meta.url)
const load = (name: string): Promise<unknown> => import(new URL(name, folder).href)
const { runs, speedUp, stepTime } = (await load('model.mjs')) as {
  readonly runs: readonly Run[]
  stepTime(run: Run, nodes: number, options: object): number
  speedUp(run: Run, nodes: number, options: object): number
}
const { simulatedStepTime } = (await load('simulated.mjs')) as {
  simulatedStepTime(run: Run, nodes: number, options: object): Promise<number>
}
const overlap = { overlap: true, hybrid: false }
const neither = { overlap: false, hybrid: false }

for (const [index, run] of runs.entries()) {
  const { network, batch, nodes, published } = run
  test(`${network} with ${batch} samples on ${nodes} nodes: steps as simulated are those of the model`, async (t) => {
    // A step of 128 nodes takes more than a second; the study simulates all sizes.
    const simulated = index === 0 ? nodes : Math.min(nodes, 32)
    for (const options of [overlap, neither]) {
      const expected = stepTime(run, simulated, options)
      const found = await simulatedStepTime(run, simulated, options)
      t.true(Math.abs(found / expected - 1) < 0.02, `${found} s, ${expected} s`)
    }
    const modelled = [{ overlap: true, hybrid: true }, { overlap: false, hybrid: true }, overlap, neither].map(
      (options) => speedUp(run, nodes, options).toFixed(1)
    )
    const row = [`${network}, ${batch}, ${nodes}`, published, ...modelled].join(' | ')
    t.true(textOf('studies/scaling.md').includes(`| ${row} |`), row)
  })
}

test('on one node the simulator and the model have no sums', async (t) => {
  const [run] = runs
  const found = await simulatedStepTime(run, 1, overlap)
  t.true(Math.abs(found / stepTime(run, 1, overlap) - 1) < 1e-9)
})

test('the speed-ups of VGG-A on 128 nodes are 73.3 with overlap and 53.1 without', (t) => {
  t.is(speedUp(runs[0], 128, overlap).toFixed(1), '73.3')
  t.is(speedUp(runs[0], 128, neither).toFixed(1), '53.1')
})
