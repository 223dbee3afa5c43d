import test from 'ava'
import { simulateRun } from './run.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { runsOf, topologyOf } from '../scenario/sweep.js'
import { TaskSets } from './task-sets.js'

test('the store of a scenario costs time by its kind and by the bytes of the traffic; with two services updates are lost', async (t) => {
  const stores: (number | undefined)[][] = []
  for (const store of ['memory', 'redis://localhost', 'mysql://localhost/db']) {
    const methods = '[{ algorithm: parameter-services, servers: 1 }, { algorithm: parameter-services, servers: 2 }]'
    const traffic = '{ size: 10 MB, tensors: 1 }'
    const scenario = await scenarioOf({ methods, store, traffic, rounds: '10', rate: '{ scale: 1/peers }' })
    for (const run of runsOf(scenario)) {
      const { peers } = topologyOf(scenario, run).topology
      const taskSet = await new TaskSets(1).of(run.setting.learning, peers, run.seed)
      const { record } = await simulateRun(scenario, run, taskSet, () => 0)
      t.is(record.store?.sets, 30)
      stores.push([record.store?.secondsPerSet, record.store?.overwritten])
    }
  }
  const [memory, , redis, redisTwice, mysql] = stores
  t.deepEqual(memory, [0, 0])
  // 10 MB at 0.59 + 0.02 ms for each and 0.1 ms; at 0.47 + 0.83 ms and 0.39 ms.
  t.true(Math.abs((redis[0] ?? 0) - 0.0062) < 1e-4, String(redis[0]))
  t.true(Math.abs((mysql[0] ?? 0) - 0.01339) < 1e-4, String(mysql[0]))
  t.is(redis[1], 0)
  t.true((redisTwice[1] ?? 0) > 0)
})
