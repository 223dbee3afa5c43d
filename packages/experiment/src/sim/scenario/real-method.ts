/** A method of a scenario for real peers: the same topology, training and links, in the scenario's first setting. */
import { InputError } from '@murmuration/core'
import { nearest, type PeerEntry, type TopologyFile } from '@murmuration/files'
import type { RunRequest } from '../../training/plan.js'
import { type Training, trainingSchema } from '../../training/training-schema.js'
import type { Method, Scenario } from './scenario.js'
import { readScenario } from './file.js'
import { endless } from './schema.js'
import { serversOf } from './servers.js'
import { settingsOf, topologyOf } from './sweep.js'

/** Reads a scenario's method. Throws an InputError when no method has that label, or real peers cannot run it. */
export async function readMethod(
  request: RunRequest,
  label: string
): Promise<{ readonly file: TopologyFile; readonly training: Training; readonly remark: string | undefined }> {
  const { topology: path } = request
  const conflicting = (['train', 'algorithm', 'task', 'data', 'partition'] as const).find(
    (name) => request[name] !== undefined
  )
  if (conflicting !== undefined)
    throw new InputError(`--${conflicting}: cannot be combined with --method; write it into ${path}`)
  const scenario = await readScenario(path)
  const method = methodCalled(scenario, label)
  const reason = refusal(scenario, method)
  if (reason !== undefined) throw new InputError(`${path}: the method "${label}" cannot run on real peers: ${reason}`)
  const [setting] = settingsOf(scenario)
  const file = topologyOf(scenario, { setting, method })
  const methodServers = serversOf(method, file.topology.peers, file.servers)
  const servers = methodServers.map(({ name }): PeerEntry => ({ name, role: 'server', invited: false, addresses: [] }))
  const { consensusTolerance, membership } = trainingSchema.parse({})
  const { rounds, ...rest } = { ...scenario.training, ...setting.learning, ...method.training }
  const rate = { ...rest.rate, initial: method.rate?.initial ?? setting.rate ?? rest.rate.initial }
  const { algorithm } = method
  return {
    remark: simulatedOnly(scenario),
    file: { ...file, servers },
    training: {
      ...rest,
      rate,
      rounds,
      algorithm,
      consensusTolerance,
      seed: scenario.seeds[0],
      membership: scenario.membership ?? membership
    }
  }
}

function methodCalled({ path, methods }: Scenario, label: string): Method {
  const method = methods.find((each) => each.label === label)
  if (method !== undefined) return method
  const labels = methods.map((each) => each.label)
  throw new InputError(
    `--method: found "${label}", expected a method of ${path}: ${labels.map((each) => `"${each}"`).join(', ')}${nearest(label, labels)}`
  )
}

/** What real peers do not obey, in words. */
function simulatedOnly({ stop, faults, training: { rounds } }: Scenario): string | undefined {
  const hasFaults = Object.values(faults).some((each) => (Array.isArray(each) ? each.length > 0 : each !== undefined))
  const parts = [
    ...(stop.loss === undefined && stop.time === undefined ? [] : ['stop']),
    ...(hasFaults ? ['faults'] : [])
  ]
  if (parts.length === 0) return undefined
  return `real peers train all ${rounds} rounds; they do not obey the scenario's ${parts.join(' and ')}`
}

/** Why real peers cannot run a method; undefined if they can. */
function refusal({ traffic, training }: Scenario, { algorithm, fusion, on = 'own' }: Method): string | undefined {
  if (traffic !== undefined)
    return "its messages have the sizes in traffic; those of real peers have the sizes of the task's parameters"
  if (on !== 'own') return `its servers share machines with workers (on: ${on}); real servers have their own machines`
  if (fusion !== 'fused') return 'real peers send all parameters in one buffer, not by tensor'
  if (algorithm.name === 'sgd') return 'sgd exchanges nothing'
  return training.rounds === endless ? 'its number of rounds has no limit' : undefined
}
