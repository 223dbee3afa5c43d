/** The files of a run, as sent to a peer that joins by invitation, and their fingerprint for the invitation. */
import { InputError } from '@murmuration/core'
import { parseTopologyFile, parseYamlFile } from '@murmuration/files'
import { hashText } from '@murmuration/vectors'
import * as z from 'zod'
import { checkServices, planOf, type RunPlan } from '../../training/plan.js'
import { parseTrainingFile } from '../../training/training-file.js'

/** An argument of a command line that is not a path. */
const word = z.string().regex(/^[\w:-]{1,64}$/)

const filesSchema = z.strictObject({
  topology: z.string(),
  training: z.string(),
  algorithm: word.optional(),
  task: word.optional(),
  partition: z
    .string()
    .regex(/^[\w:.-]{1,64}$/)
    .optional()
})

/** The texts of a run's files, and its options. */
export type ReceivedFiles = z.output<typeof filesSchema>

/**
 * The files that a peer of a run has sent. Throws an InputError for anything but the files and options of a run, and
 * for a training that names code: only code that this machine's user has named may run here.
 */
export function runFilesIn(text: string): ReceivedFiles {
  const files = read(text)
  if (namesCode(parseYamlFile(files.training, 'the training of the run', z.unknown()).value)) {
    throw new InputError(
      'the training file of the run names a module; code is not accepted from other peers: use "murmur peer" and your copy of the module'
    )
  }
  return files
}

/**
 * The plan of a run whose files were received, as `makeRealPlan` of the files. Throws an InputError.
 *
 * @param data - the data of this machine, in place of the run's
 */
export async function planOfFiles({ topology, training, ...options }: ReceivedFiles, data?: string): Promise<RunPlan> {
  const path = 'the topology of the run'
  const file = parseTopologyFile(topology, path)
  const overrides = { ...options, ...(data === undefined ? {} : { data }), peers: file.peers.length }
  const plan = planOf(path, file, await parseTrainingFile(training, 'the training of the run', overrides))
  checkServices(plan)
  return plan
}

/** SHA-256 of what all peers of a run share: its settings, and the peers that may take part. */
export function fingerprintOf({ settings, file: { peers, servers, runKey } }: RunPlan): string {
  const sorted = Object.entries(settings).sort(([left], [right]) => (left < right ? -1 : 1))
  const members = [...peers, ...servers].map(({ name, id, invited }) => [name, id ?? null, invited])
  return hashText(JSON.stringify([sorted, members, runKey ?? null]))
}

function read(text: string): ReceivedFiles {
  try {
    return filesSchema.parse(JSON.parse(text))
  } catch {
    throw new InputError('a peer sent something other than a topology file and a training file')
  }
}

/** Whether a file names a module anywhere. */
function namesCode(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, each]) => key === 'module' || namesCode(each))
}
