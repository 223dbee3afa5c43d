import { spawn } from 'node:child_process'

/** Where and how long a program runs. */
export interface RunOptions {
  readonly cwd: string
  /** Milliseconds, after which it is killed together with all its children. */
  readonly limit: number
  readonly env?: Readonly<Record<string, string>>
}

/** A program's output; no code when it was killed at its limit, or by a signal. */
export interface RunEnd {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program to its end. Its children belong to its process group, so that all can be killed. POSIX systems only.
 */
export async function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<RunEnd> {
  const { cwd, limit, env } = options
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => (stdout += String(data)))
  child.stderr.on('data', (data) => (stderr += String(data)))
  const timer = setTimeout(() => child.pid === undefined || process.kill(-child.pid, 'SIGKILL'), limit)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    return { code: code ?? undefined, stdout, stderr }
  } finally {
    clearTimeout(timer)
  }
}
