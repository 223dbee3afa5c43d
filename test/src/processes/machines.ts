/**
 * Network namespaces as machines, each in a network of its own, with one more as the router between them (Linux, with
 * the permission to make them).
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { messageOf } from '@murmuration/core'
import type { ExecutionContext } from 'ava'

const execute = promisify(execFile)
const ip = (...words: readonly string[]) => execute('ip', words)

/** Where a command runs, and the IP address at which others reach it. */
export interface Machine {
  readonly prefix: readonly string[]
  readonly host: string
}

/**
 * Machines that reach each other through a router. Where this is not permitted, all are this machine, and the log of
 * the test says why.
 */
export async function machines(t: ExecutionContext, count: number): Promise<readonly Machine[]> {
  const names = Array.from({ length: count }, (_, index) => `murmur-${process.pid}-${index}`)
  const router = `murmur-${process.pid}-router`
  t.teardown(async () => {
    for (const name of [...names, router]) await ip('netns', 'del', name).catch(() => {})
  })
  try {
    await ip('netns', 'add', router)
    for (const [index, name] of names.entries()) await connect(router, name, index)
    await execute('ip', ['netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'])
    const first = names[0]
    const last = hostOf(count - 1)
    await execute('ip', ['netns', 'exec', first, 'bash', '-c', `exec 3<>/dev/tcp/${last}/9`]).catch(
      (error: unknown) => {
        // No process listens there: a refusal shows that packets pass both ways.
        if (!messageOf(error).includes('refused')) throw error
      }
    )
    return names.map((name, index) => ({ prefix: ['ip', 'netns', 'exec', name], host: hostOf(index) }))
  } catch (error) {
    t.log(`on this machine alone, since network namespaces are not allowed: ${messageOf(error).trim()}`)
    return names.map(() => ({ prefix: [], host: '127.0.0.1' }))
  }
}

/** Public addresses, since libp2p trusts its own addresses only if they are private; they are not visible outside. */
const hostOf = (index: number) => `11.91.${index}.2`

/** A namespace with a network of its own, whose gateway is the router. */
async function connect(router: string, name: string, index: number): Promise<void> {
  const device = `v${index}`
  const gateway = `11.91.${index}.1`
  await ip('netns', 'add', name)
  await ip('-n', router, 'link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  await ip('-n', router, 'addr', 'add', `${gateway}/24`, 'dev', device)
  await ip('-n', router, 'link', 'set', device, 'up')
  await ip('-n', name, 'addr', 'add', `${hostOf(index)}/24`, 'dev', 'eth0')
  for (const each of ['lo', 'eth0']) await ip('-n', name, 'link', 'set', each, 'up')
  await ip('-n', name, 'route', 'add', 'default', 'via', gateway)
}
