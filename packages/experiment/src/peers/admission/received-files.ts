/** The files of a run on this machine: as they are sent to a peer that joins, and as it keeps them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunRequest } from '../../training/plan.js'
import { defaultTraining } from '../../training/read-training-file.js'
import { type ReceivedFiles, runFilesIn } from './run-files.js'

/** The files and options of a run as one text. The place of the data is not included: it differs by machine. */
export async function filesOf({ topology, train, algorithm, task, partition }: RunRequest): Promise<string> {
  const [topologyText, training] = await Promise.all(
    [topology, train ?? defaultTraining].map((path) => readFile(path, 'utf8'))
  )
  return JSON.stringify({ topology: topologyText, training, algorithm, task, partition } satisfies ReceivedFiles)
}

/** Writes the received files of a run into a folder. Throws the InputErrors of {@link runFilesIn}. */
export async function requestFrom(text: string, folder: string): Promise<RunRequest> {
  const { topology, training, ...options } = runFilesIn(text)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [topologyFile, trainingFile] = ['topology.yaml', 'training.yaml'].map((name) => join(folder, name))
  await writeFile(topologyFile, topology)
  await writeFile(trainingFile, training)
  return { topology: topologyFile, train: trainingFile, ...options }
}
