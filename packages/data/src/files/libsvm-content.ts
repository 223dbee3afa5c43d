/** Which files without a known name are in LIBSVM's text format. */
import { open } from 'node:fs/promises'
import { constants, gunzipSync } from 'node:zlib'
import type { DataFile } from './data-file.js'
import { refuseSpecialFile } from './special-file.js'

/** The bytes at the beginning that are looked at. */
const headBytes = 4096

/** Comments and labels without values, then a label, and an index or `qid` with a colon. */
const beginning =
  /^\s*(?:(?:#[^\r\n]*|[-+]?\d[\d.]*(?:e[-+]?\d+)?[ \t]*)[\r\n]\s*)*[-+]?[\d.]+(?:e[-+]?\d+)?[ \t]+(?:\d+|qid):\S/i

/** Whether bytes begin as the format does. */
export function beginsAsLibsvm(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.subarray(0, headBytes)).toString('utf8')
  return beginning.test(text.startsWith('\uFEFF') ? text.slice(1) : text)
}

/** Those of the files that begin as the format does, also packed. */
export async function libsvmFilesIn(files: readonly DataFile[]): Promise<readonly DataFile[]> {
  const heads = await Promise.all(files.map(({ path }) => headOf(path)))
  return files.filter((_, index) => beginsAsLibsvm(heads[index]))
}

/** The first bytes of a file, unpacked; none where it cannot be read. */
async function headOf(path: string): Promise<Uint8Array> {
  try {
    await refuseSpecialFile(path)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes)
      const head = buffer.subarray(0, bytesRead)
      return head[0] === 0x1f && head[1] === 0x8b ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head
    } finally {
      await file.close()
    }
  } catch {
    return new Uint8Array(0)
  }
}
