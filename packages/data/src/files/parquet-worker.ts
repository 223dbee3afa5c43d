/** The program of the thread that decodes a Parquet file. Started by `readParquet`. */
import { parentPort, workerData } from 'node:worker_threads'
import { columnsIn } from './parquet-columns.js'

const answer = columnsIn(workerData as Uint8Array<ArrayBuffer>)
const columns = 'columns' in answer ? answer.columns : []
const lists = columns.flatMap(({ numbers, classes }) =>
  classes === undefined ? [numbers] : [numbers, classes.numbers]
)
parentPort?.postMessage(
  answer,
  lists.map(({ buffer }) => buffer)
)
