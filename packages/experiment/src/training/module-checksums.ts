import { hashText } from '@murmuration/vectors'
import { textIn } from '#platform'
import type { Training } from './training-schema.js'

/**
 * SHA-256 in hex of the user's own modules, by the field that names them. Their paths may differ, but all peers must
 * run the same code. Line ends are normalised, and imports of a module are not included.
 */
export async function moduleChecksums({
  task,
  algorithm
}: Pick<Training, 'task' | 'algorithm'>): Promise<Readonly<Record<string, string>>> {
  const checksums: Record<string, string> = {}
  for (const [field, { module }] of Object.entries({ task, algorithm })) {
    if (module !== undefined) checksums[field] = await checksumOf(module)
  }
  return checksums
}

async function checksumOf(path: string): Promise<string> {
  return hashText((await textIn(path)).replaceAll('\r\n', '\n'))
}
