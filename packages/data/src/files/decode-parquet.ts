/** Decodes Parquet files in a thread of Node; decode-parquet.browser.ts refuses them. */
import { Worker } from 'node:worker_threads'
import { messageOf } from '@murmuration/core'
import type { ParquetAnswer } from './parquet-columns.js'

/**
 * The maximum memory of decoding in MiB, besides pages and columns of numbers. Lower than the size at which V8 ends the
 * process for one array (2^27
 * elements), and more than the lists of one page take: it also ends the process for a large one that does not fit.
 */
const memoryLimit = 1024

/**
 * Milliseconds after which decoding is given up: 2^22 cells take 0.9 s of a core, and there are at most eight times as
 * many.
 */
const timeLimit = 120_000

/** The columns of a file, or what is wrong with it. */
export function decodedParquet(bytes: Uint8Array): Promise<ParquetAnswer> {
  const copy = Uint8Array.from(bytes)
  const worker = new Worker(new URL(import.meta.resolve('./parquet-worker.js')), {
    workerData: copy,
    transferList: [copy.buffer],
    resourceLimits: { maxOldGenerationSizeMb: memoryLimit }
  })
  const answered = new Promise<ParquetAnswer>((resolve) => {
    const fail = (problem: string) => resolve({ problem })
    worker.on('message', resolve)
    worker.on('error', (error: NodeJS.ErrnoException) => fail(problemIn(error)))
    worker.on('exit', () => fail('its decoder ended without an answer'))
    setTimeout(
      () => fail(`not decoded after ${timeLimit / 60_000} minutes; it is damaged, write or fetch it again`),
      timeLimit
    ).unref()
  })
  return answered.finally(() => worker.terminate())
}

function problemIn(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return `cannot be decoded: ${messageOf(error)}`
  return `decoding takes more than ${memoryLimit} MiB; it is damaged, or too large: write the rows to several files`
}
