/** Real stores for tests and benches: each on a free port, in a temporary folder that `end` removes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket, connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A running store. */
export interface RunningProgram {
  readonly url: string
  readonly pid: number
  /** The folder of its files. */
  readonly folder: string
  /** Ends its process by SIGKILL. */
  kill(): Promise<void>
  /** Suspends its process, or resumes it. */
  pause(isPaused: boolean): void
  /** Starts it again, on the same port and files. */
  start(): Promise<void>
  /** Ends it, and removes its files. */
  end(): Promise<void>
}

/** The path of a program, or undefined. Debian installs servers in /usr/sbin, which is not on the path of all users. */
export function programPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Starts a Redis. `save`: its snapshot schedule, as in its configuration, such as `1 1`; none when absent. */
export async function startRedis(
  options: { readonly save?: string; readonly password?: string; readonly threads?: number } = {}
): Promise<RunningProgram> {
  const path = programPath('redis-server')
  if (path === undefined) throw new Error('redis-server is not installed')
  const { save = '', password, threads } = options
  const args = [
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...(threads === undefined ? [] : ['--io-threads', String(threads)])
  ]
  return startProgram('redis', (folder, port) => ({
    path,
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      save,
      '--appendonly',
      'no',
      ...args
    ],
    url: `redis://127.0.0.1:${port}`
  }))
}

/** Starts a MariaDB with an empty database `murmuration`; its user `root` has no password. */
export async function startMariaDb(packet = '64M'): Promise<RunningProgram> {
  const path = programPath('mariadbd')
  const install = programPath('mariadb-install-db')
  if (path === undefined || install === undefined) throw new Error('mariadb-server is not installed')
  const user = `--user=${userInfo().username}`
  return startProgram('mariadb', async (folder, port) => {
    const data = join(folder, 'data')
    const plain = ['--no-defaults', `--datadir=${data}`]
    const quiet = ['--auth-root-authentication-method=normal', '--skip-test-db', user]
    await promisify(execFile)(install, [...plain, ...quiet])
    const where = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 's')}`, user]
    const small = ['--innodb-buffer-pool-size=64M', '--innodb-log-file-size=192M', `--max-allowed-packet=${packet}`]
    const database = join(folder, 'init.sql')
    await writeFile(database, 'CREATE DATABASE IF NOT EXISTS murmuration;\n')
    return {
      path,
      args: [...plain, ...where, ...small, `--init-file=${database}`],
      url: `mysql://root@127.0.0.1:${port}/murmuration`
    }
  })
}

interface Command {
  readonly path: string
  readonly args: readonly string[]
  readonly url: string
}

async function startProgram(
  name: string,
  commandIn: (folder: string, port: number) => Command | Promise<Command>
): Promise<RunningProgram> {
  const folder = await mkdtemp(join(tmpdir(), `murmuration-${name}-`))
  const port = await freePort()
  const { path, args, url } = await commandIn(folder, port)
  let child: ChildProcess | undefined
  const start = async () => {
    const started = spawn(path, args, { stdio: 'ignore' })
    child = started
    await listening(started, port, name)
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const end = async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await end()
    throw error
  }
  return {
    url,
    folder,
    get pid() {
      return child?.pid ?? 0
    },
    kill,
    pause: (isPaused) => void child?.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
    start,
    end
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

/** Waits until the process listens on the port. Throws when the process ends before. */
async function listening(child: ChildProcess, port: number, name: string): Promise<void> {
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  for (;;) {
    if (failure !== undefined) throw failure
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`)
    if (await answers(port)) return
    await delay(30)
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1')
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
