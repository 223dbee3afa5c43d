import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { makePlan } from './make-plan.js'

test('local data need weights that favour nobody', async (t) => {
  const topology = join(await mkdtemp(join(tmpdir(), 'murmur-plan-')), 'star.yaml')
  await writeFile(topology, 'graph: star\nweights: uniform\npeers: [a, b, c]\n')
  const message = /do not keep their mean.*"weights: metropolis".*partition "local"/s
  for (const partition of ['local', 'local:per-peer']) {
    await t.throwsAsync(makePlan({ topology, partition }), { instanceOf: InputError, message })
  }
  await t.notThrowsAsync(makePlan({ topology, partition: 'equal' }))
  await writeFile(topology, 'graph: star\npeers: [a, b, c]\n')
  await t.notThrowsAsync(makePlan({ topology, partition: 'local' }))
})
