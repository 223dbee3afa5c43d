import { join } from 'node:path'
import { homeDirectory } from '@murmuration/data'

/** The folder for what this user knows of a run. */
export function runFolder(runKey: string): string {
  return join(homeDirectory(), 'runs', runKey)
}
