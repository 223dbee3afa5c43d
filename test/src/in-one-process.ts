/**
 * Runs commands one after the other in this process, as each would run in one of its own: for what does not depend on the process,
 * as that takes longer to start than most commands to answer. Forked by {@link murmurInTurn}, with a JSON array of commands.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandResult } from './command.js'
import { root } from './repository.js'

const main = pathToFileURL(join(root, 'packages/cli/dist/main.js')).href

/** Takes what is written to a stream from now on. */
function capture(stream: NodeJS.WriteStream): { text: string } {
  const captured = { text: '' }
  stream.write = (data: string | Uint8Array) => {
    captured.text += typeof data === 'string' ? data : Buffer.from(data).toString()
    return true
  }
  return captured
}

async function run(args: readonly string[], place: number): Promise<CommandResult> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  process.argv = [process.execPath, main, ...args]
  process.exitCode = 0
  // The program runs when its module is loaded, and a module with another query is another one.
  await import(`${main}?${place}`)
  return { code: Number(process.exitCode), signal: null, stdout: stdout.text, stderr: stderr.text }
}

// Each command listens for signals, and for readers that go away.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)
const results: CommandResult[] = []
for (const [place, args] of (JSON.parse(process.argv[2]) as string[][]).entries()) results.push(await run(args, place))
process.exitCode = 0
process.send?.(results, () => process.disconnect())
