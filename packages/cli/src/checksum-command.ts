import { checksumOf } from '@murmuration/data'

/** The SHA-256 of a folder or a file with data, as a line of a training file. */
export async function checksumText(path: string): Promise<string> {
  const { sha256, files } = await checksumOf(path)
  return `sha256: ${sha256}${files === 1 ? '' : ` # ${files} files`}`
}
