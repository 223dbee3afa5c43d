/** Scripts with which shells complete the arguments of `murmur`. */
import type { Command } from 'commander'
import { bashScript } from './bash.js'
import { entriesOf } from './entries.js'
import { fishScript } from './fish.js'
import type { Shell } from './shells.js'
import { zshScript } from './zsh.js'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** The script of a shell. It contains all commands and options of `program`, and runs no part of it. */
export function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](entriesOf(program))
}
