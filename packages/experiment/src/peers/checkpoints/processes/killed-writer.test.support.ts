/** Writes checkpoints, and reports each when it is written, until it is killed. */
import { peerName } from '@murmuration/core'
import { CheckpointFolder } from '../folder.js'
import { exampleRun, exampleSaved } from '../example.test.support.js'

const folder = process.argv[2]
const first = Number(process.argv[3])
const checkpoints = new CheckpointFolder(folder, peerName('a'), exampleRun)
await checkpoints.prepare()
for (let round = first; ; round++) {
  await checkpoints.write(round, exampleSaved(round))
  process.stdout.write(`${round}\n`)
  await checkpoints.prune([])
}
