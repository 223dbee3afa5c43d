/** Runs commands, each in a process group of its own that is killed as a whole. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** So much of what a command prints is kept, from its end, in characters. */
const kept = 1 << 20

/**
 * Runs a command to its end and returns what it printed. Rejects when it fails, takes longer than `timeout` ms, or
 * `signal` aborts.
 *
 * @param command - the program and its arguments
 */
export async function run([program, ...args], { cwd, timeout, signal, env = {} }) {
  signal.throwIfAborted()
  const name = [program === process.execPath ? 'node' : program, ...args].join(' ')
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env }
  })
  const text = { stdout: '', stderr: '' }
  for (const stream of Object.keys(text)) {
    child[stream].setEncoding('utf8').on('data', (more) => (text[stream] = (text[stream] + more).slice(-kept)))
  }
  const end = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
  const kill = () => killGroup(child)
  end.addEventListener('abort', kill)
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  end.removeEventListener('abort', kill)
  signal.throwIfAborted()
  if (end.aborted) throw new Error(`"${name}" took longer than ${timeout / 1000} s`)
  if (code !== 0) throw new Error(`"${name}" ended with ${code}: ${reasonIn(text)}`)
  return text.stdout
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** The line that says most: that of an error, or the last one. */
function reasonIn({ stdout, stderr }) {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  return (lines.find((line) => /\b\w*Error\b/.test(line)) ?? lines.at(-1) ?? 'it printed nothing').trim()
}

/**
 * Runs a command and adds up what its Node.js processes used.
 *
 * @returns what it printed; `seconds` by the clock; `processor`: seconds of all processes; `memory`: the most resident
 *   memory of one process, in MiB; and how many `processes` there were. A process that is killed is missing.
 */
export async function measure(command, options) {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-usage-'))
  const file = join(folder, 'usage')
  const probe = `--import=${new URL('./usage.mjs', import.meta.url)}`
  const env = { MURMURATION_BENCH_USAGE: file, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${probe}`.trim() }
  try {
    const began = performance.now()
    const stdout = await run(command, { ...options, env })
    const seconds = (performance.now() - began) / 1000
    return { stdout, seconds, ...totalOf(await readFile(file, 'utf8')) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function totalOf(text) {
  const all = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return {
    processor: all.reduce((sum, { processor }) => sum + processor, 0),
    memory: Math.max(...all.map(({ memory }) => memory)),
    processes: all.length
  }
}
