import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import { root } from '../repository.js'

/** The result of a run of the command. */
export interface CommandResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A running command. */
export interface RunningCommand {
  readonly process: ChildProcess
  readonly result: Promise<CommandResult>
  /** Standard output so far. */
  output(): string
  /** Resolves when standard output or standard error contains `text`; rejects when the command ends without it. */
  saying(text: string): Promise<void>
  /**
   * The first JSON object of standard output for which `isIt` holds, past or future; rejects when the command ends
   * without one.
   *
   * @param from - skips this many characters of {@link output}; none when absent
   */
  telling(what: string, matches: (line: JsonLine) => boolean, from?: number): Promise<JsonLine>
}

/** A line of a `--json` run. */
export type JsonLine = Readonly<Record<string, unknown>>

/** Where and how a command runs, when not in the repository's root and unchanged. */
export interface CommandSurroundings {
  readonly cwd?: string
  /** The command's own file; that of the repository when absent. */
  readonly bin?: string
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the other, as "ip netns exec NAME" does. */
  readonly prefix?: readonly string[]
  /**
   * The maximum length of files, in blocks of 1024 bytes: further writes fail, as on a full disk. POSIX systems only.
   */
  readonly fileLimit?: number
}

/**
 * Starts `murmur` as a process, with its own home directory. After `limit` milliseconds it counts as hanging: it is
 * killed, and its result rejects with its output.
 */
export function murmur(
  args: readonly string[],
  home: string,
  limit = timeLimit(90_000),
  { cwd = root, bin = join(root, 'packages/cli/bin/murmur.js'), env, prefix = [], fileLimit }: CommandSurroundings = {}
): RunningCommand {
  const command = [...prefix, process.execPath, bin, ...args]
  const limited =
    fileLimit === undefined ? command : ['bash', '-c', `ulimit -f ${fileLimit}; exec "$@"`, '-', ...command]
  const child = spawn(limited[0], limited.slice(1), {
    cwd,
    env: { ...process.env, MURMURATION_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let hasTimedOut = false
  const timer = setTimeout(() => (hasTimedOut = child.kill('SIGKILL')), limit)
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  child.stdout.on('data', (data) => {
    stdout += String(data)
    notify()
  })
  child.stderr.on('data', (data) => {
    stderr += String(data)
    notify()
  })
  const result = new Promise<CommandResult>((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (hasTimedOut)
        reject(new Error(`murmur ${args.join(' ')} hangs: not ended after ${limit / 1000} s:\n${stdout}\n${stderr}`))
      else resolve({ code, signal, stdout, stderr })
    })
  })
  const until = <Found>(what: string, find: () => Found | undefined) =>
    new Promise<Found>((resolve, reject) => {
      const check = () => {
        const found = find()
        if (found === undefined) return
        listeners.delete(check)
        resolve(found)
      }
      listeners.add(check)
      check()
      const end = () => reject(new Error(`the command ended without ${what}:\n${stdout}\n${stderr}`))
      result.then(end, end)
    })
  const saying = async (text: string) => {
    await until(`saying "${text}"`, () => `${stdout}${stderr}`.includes(text) || undefined)
  }
  const telling = (what: string, matches: (line: JsonLine) => boolean, from = 0) => {
    let position = from
    return until(`telling ${what}`, () => {
      const end = stdout.lastIndexOf('\n') + 1
      const lines = recordsOf({ stdout: stdout.slice(position, end) })
      position = end
      return lines.find(matches)
    })
  }
  return { process: child, result, saying, telling, output: () => stdout }
}

/** Runs commands one after the other, all in one process: for answers that do not depend on the process. */
export function murmurInTurn(
  commands: readonly (readonly string[])[],
  home: string,
  cwd: string = root
): Promise<readonly CommandResult[]> {
  const file = fileURLToPath(new URL('./in-one-process.js', import.meta.url))
  const child = fork(file, [JSON.stringify(commands)], {
    cwd,
    env: { ...process.env, MURMURATION_HOME: home },
    timeout: timeLimit(90_000)
  })
  return new Promise((resolve, reject) => {
    child.on('message', (results) => resolve(results as CommandResult[]))
    child.on('close', (code, signal) => reject(new Error(`the commands ended by ${signal ?? code} without a result`)))
  })
}

/** An empty folder for a test's keys, data and files. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'murmur-test-'))
}

/** The JSON objects of a `--json` run, one per line. */
export function recordsOf({ stdout }: Pick<CommandResult, 'stdout'>): JsonLine[] {
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as JsonLine)
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
        })
    )
  )
  return Promise.all(
    servers.map((server) => {
      const address = server.address()
      return new Promise<number>((resolve) =>
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
      )
    })
  )
}
