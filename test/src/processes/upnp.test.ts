/**
 * A router that forwards ports on request (miniupnpd), between two namespaces; where it is installed and namespaces are
 * permitted.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import { messageOf } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type CommandResult, murmur, recordsOf, temporaryFolder } from './command.js'

const execute = promisify(execFile)
const outside = '11.92.0.2'

/**
 * Namespaces with a router between them that admits only what it forwards; `undefined` where that is impossible, with
 * the reason in the log.
 */
async function behindRouter(t: ExecutionContext, folder: string) {
  const [inner, router, outer] = ['in', 'router', 'out'].map((name) => `murmur-upnp-${process.pid}-${name}`)
  const lines = [
    ...[inner, router, outer].flatMap((name) => [`ip netns add ${name}`, `ip -n ${name} link set lo up`]),
    `ip -n ${router} link add lan type veth peer name eth0 netns ${inner}`,
    `ip -n ${router} link add wan type veth peer name eth0 netns ${outer}`,
    ...[`${router} 192.168.92.1/24 lan`, `${router} 11.92.0.1/24 wan`, `${inner} 192.168.92.2/24 eth0`].map(placed),
    placed(`${outer} ${outside}/24 eth0`),
    `ip -n ${inner} route add default via 192.168.92.1`,
    ...[
      'sh -c "echo 1 > /proc/sys/net/ipv4/ip_forward"',
      ...['-t nat -N MINIUPNPD', '-N MINIUPNPD', '-t nat -N MINIUPNPD-POSTROUTING', '-P FORWARD DROP'].map(table),
      ...['-t nat -A PREROUTING -i wan -j MINIUPNPD', '-t nat -A POSTROUTING -o wan -j MASQUERADE'].map(table),
      ...['-i wan -j MINIUPNPD', '-i lan -j ACCEPT', '-m state --state ESTABLISHED,RELATED -j ACCEPT']
        .map((rule) => `-A FORWARD ${rule}`)
        .map(table)
    ].map((line) => `ip netns exec ${router} ${line}`)
  ]
  t.teardown(async () => {
    for (const name of [inner, router, outer]) await execute('ip', ['netns', 'del', name]).catch(() => {})
  })
  try {
    await execute('miniupnpd', ['--version'])
    await execute('sh', ['-ec', lines.join('\n')])
  } catch (error) {
    t.log(`not tried: ${messageOf(error).trim()}`)
    return undefined
  }
  const file = join(folder, 'router')
  const all = 'allow 1024-65535 192.168.92.0/24 1024-65535'
  await writeFile(file, `ext_ifname=wan\nlistening_ip=lan\nhttp_port=5000\nenable_upnp=yes\nuuid=${id}\n${all}\n`)
  const daemon = spawn('ip', ['netns', 'exec', router, 'miniupnpd', '-d', '-f', file, '-P', `${file}.pid`], {
    stdio: 'ignore'
  })
  await once(daemon, 'spawn')
  t.teardown(() => daemon.kill())
  return { inner: ['ip', 'netns', 'exec', inner], outer: ['ip', 'netns', 'exec', outer] }
}

const id = '11111111-2222-3333-4444-555555555555'
const table = (rule: string) => `iptables-legacy ${rule}`
function placed(words: string): string {
  const [name, address, device] = words.split(' ')
  return `ip -n ${name} addr add ${address} dev ${device}\nip -n ${name} link set ${device} up`
}

test('a seed cannot call a peer behind a router, and can where the router forwards its port; a relay needs neither', async (t) => {
  const folder = await temporaryFolder()
  const places = await behindRouter(t, folder)
  if (places === undefined) {
    t.pass()
    return
  }
  const start = (prefix: readonly string[], ...args: readonly string[]) =>
    murmur(args, folder, timeLimit(90_000), { prefix })
  const seed = start(places.outer, 'seed', '--relay', '--listen', `/ip4/${outside}/tcp/4001`, '--json')
  t.teardown(() => seed.process.kill('SIGKILL'))
  const { addresses } = await seed.telling('its address', ({ kind }) => kind === 'seed')
  const [address] = addresses as string[]
  const levels = (result: CommandResult) =>
    Object.fromEntries(recordsOf(result).map(({ check, level }) => [String(check).split(' ')[0], level]))
  const examine = (...more: readonly string[]) =>
    start(places.inner, 'doctor', '--json', '--seed', address, '--via', address, ...more).result
  t.like(levels(await examine()), { seed: 'ok', reach: 'note', relay: 'ok' })
  t.like(levels(await examine('--upnp')), { upnp: 'ok', reach: 'ok' })
})
