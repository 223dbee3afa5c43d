/** Which files without a known name are in LIBSVM's text format. */
import { headOf } from '#data/files/disk.js'
import { textIn, unpackedHead } from '#data/files/packed.js'
import type { DataFile } from './data-file.js'
import { refuseSpecialFile } from './special-file.js'

/** The bytes at the beginning that are looked at. */
const headBytes = 4096

/** Comments and labels without values, then a label, and an index or `qid` with a colon. */
const beginning =
  /^\s*(?:(?:#[^\r\n]*|[-+]?\d[\d.]*(?:e[-+]?\d+)?[ \t]*)[\r\n]\s*)*[-+]?[\d.]+(?:e[-+]?\d+)?[ \t]+(?:\d+|qid):\S/i

/** Whether bytes begin as the format does. */
export function beginsAsLibsvm(bytes: Uint8Array): boolean {
  const text = textIn(bytes.subarray(0, headBytes))
  return beginning.test(text.startsWith('\uFEFF') ? text.slice(1) : text)
}

/** Those of the files that begin as the format does, also packed. */
export async function libsvmFilesIn(files: readonly DataFile[]): Promise<readonly DataFile[]> {
  const heads = await Promise.all(files.map(({ path }) => beginningOf(path)))
  return files.filter((_, index) => beginsAsLibsvm(heads[index]))
}

/** The first bytes of a file, unpacked; none where it cannot be read. */
async function beginningOf(path: string): Promise<Uint8Array> {
  try {
    await refuseSpecialFile(path)
    const head = await headOf(path, headBytes)
    return head[0] === 0x1f && head[1] === 0x8b ? await unpackedHead(head) : head
  } catch {
    return new Uint8Array(0)
  }
}
