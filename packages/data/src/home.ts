import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where keys and cached data are kept: `$MURMURATION_HOME`, or `.murmuration` in the user's home, also when that is empty. */
export function homeDirectory(): string {
  return process.env.MURMURATION_HOME || join(homedir(), '.murmuration')
}
