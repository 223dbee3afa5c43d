import type { Links, PeerName } from '@murmuration/core'
import * as z from 'zod'
import { linkProblems } from './link-problems.js'
import { createLinks } from './links.js'
import { linksSchema } from './links-schema.js'
import { readText } from '#files/text-file.js'
import { parseYamlFile } from '../yaml-file.js'

/**
 * Reads a file with the same content as `links` in a topology file, for these peers.
 *
 * @param peers - in the order of the topology file; the preset 'wan' assigns regions in this order
 * @throws InputError when the file cannot be read or is wrong, as {@link parseLinksFile}
 */
export async function readLinksFile(path: string, peers: readonly PeerName[]): Promise<Links> {
  return parseLinksFile(await readText(path), path, peers)
}

/** The links that `text` describes. Throws an InputError with a line `fileName:line:column: …` for each problem. */
export function parseLinksFile(text: string, fileName: string, peers: readonly PeerName[]): Links {
  const file = parseYamlFile(text, fileName, linksSchema)
  const problems = linkProblems(file.value, peers)
  if (problems.length > 0) throw file.errorOf(problems)
  return createLinks(file.value, peers)
}

/** The JSON Schema of links files; editors complete and check them with it. */
export function linksFileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(linksSchema.meta({ title: 'Murmuration links file' }), { io: 'input' }) }
}
