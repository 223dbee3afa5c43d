/** The program of the thread that decodes a Parquet file. Started by `readParquet`. */
import { parentPort, workerData } from 'node:worker_threads'
import { columnsIn } from './parquet-columns.js'

const answer = await columnsIn(workerData as Uint8Array<ArrayBuffer>)
const numbers = 'columns' in answer ? answer.columns.filter((column) => column instanceof Float64Array) : []
parentPort?.postMessage(
  answer,
  numbers.map(({ buffer }) => buffer)
)
