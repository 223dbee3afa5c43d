import type { ParquetAnswer } from './parquet-columns.js'

/** Its decoder needs limits of memory and time, which a page cannot set. */
export async function decodedParquet(_bytes: Uint8Array): Promise<ParquetAnswer> {
  return { problem: 'a page reads no Parquet; save the table as CSV' }
}
