import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The directory of keys and cached data: `$MURMURATION_HOME`, or `.murmuration` in the user's home if that is unset or
 * empty.
 */
export function homeDirectory(): string {
  return process.env.MURMURATION_HOME || join(homedir(), '.murmuration')
}
