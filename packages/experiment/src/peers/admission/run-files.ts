/** The files of a run, as sent to a peer that joins by invitation, and their fingerprint for the invitation. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { parseYamlFile } from '@murmuration/files'
import { hashText } from '@murmuration/vectors'
import { z } from 'zod'
import type { RunPlan, RunRequest } from '../../training/plan.js'

/** An argument of a command line that is not a path. */
const word = z.string().regex(/^[\w:-]{1,64}$/)

const filesSchema = z.strictObject({
  topology: z.string(),
  /** Absent for the default training. */
  training: z.string().optional(),
  algorithm: word.optional(),
  task: word.optional(),
  partition: z
    .string()
    .regex(/^[\w:.-]{1,64}$/)
    .optional()
})

/** The files and options of a run as one text. The place of the data is not included: it differs by machine. */
export async function filesOf({ topology, train, algorithm, task, partition }: RunRequest): Promise<string> {
  const training = train === undefined ? {} : { training: await readFile(train, 'utf8') }
  return JSON.stringify({ topology: await readFile(topology, 'utf8'), ...training, algorithm, task, partition })
}

/**
 * Writes the received files of a run into a folder. Throws an InputError for anything but the files and options of a
 * run, and for a training that names code: only code that this machine's user has named may run here.
 */
export async function requestFrom(files: string, folder: string): Promise<RunRequest> {
  const { topology, training, ...options } = read(files)
  if (training !== undefined && namesCode(parseYamlFile(training, 'the training of the run', z.unknown()).value)) {
    throw new InputError(
      'the training file of the run names a module; code is not accepted from other peers: use "murmur peer" and your copy of the module'
    )
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [topologyFile, trainingFile] = ['topology.yaml', 'training.yaml'].map((name) => join(folder, name))
  await writeFile(topologyFile, topology)
  if (training === undefined) return { topology: topologyFile, ...options }
  await writeFile(trainingFile, training)
  return { topology: topologyFile, train: trainingFile, ...options }
}

/** SHA-256 of what all peers of a run share: its settings, and the peers that may take part. */
export function fingerprintOf({ settings, file: { peers, servers, runKey } }: RunPlan): string {
  const sorted = Object.entries(settings).sort(([left], [right]) => (left < right ? -1 : 1))
  const members = [...peers, ...servers].map(({ name, id, invited }) => [name, id ?? null, invited])
  return hashText(JSON.stringify([sorted, members, runKey ?? null]))
}

function read(files: string): z.output<typeof filesSchema> {
  try {
    return filesSchema.parse(JSON.parse(files))
  } catch {
    throw new InputError('a peer sent something other than a topology file and a training file')
  }
}

/** Whether a file names a module anywhere. */
function namesCode(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, each]) => key === 'module' || namesCode(each))
}
