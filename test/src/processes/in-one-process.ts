/**
 * Runs commands one after the other in this process, as each would run in its own. For commands whose answers do not
 * depend on the process: starting one takes longer than most answers. Forked by {@link murmurInTurn}, with a JSON array
 * of commands.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandResult } from './command.js'
import { root } from '../repository.js'

const main = pathToFileURL(join(root, 'packages/cli/dist/main.js')).href

/** Captures what is written to a stream from now on. */
function capture(stream: NodeJS.WriteStream): { text: string } {
  const captured = { text: '' }
  stream.write = (data: string | Uint8Array) => {
    captured.text += typeof data === 'string' ? data : Buffer.from(data).toString()
    return true
  }
  return captured
}

async function run(args: readonly string[], place: number): Promise<CommandResult> {
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  process.argv = [process.execPath, main, ...args]
  process.exitCode = 0
  // The program runs when its module is loaded; another query in the URL makes it another module.
  await import(`${main}?${place}`)
  return { code: Number(process.exitCode), signal: null, stdout: stdout.text, stderr: stderr.text }
}

// Each command adds listeners for signals, and for closed streams.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)
const results: CommandResult[] = []
for (const [place, args] of (JSON.parse(process.argv[2]) as string[][]).entries()) results.push(await run(args, place))
process.exitCode = 0
process.send?.(results, () => process.disconnect())
