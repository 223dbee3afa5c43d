import { invariant, NeighboursMissingError, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { keysAt, keysText, withHeldRows } from './held-rows.js'
import { IntentKeyServer } from './intent-key-server.js'
import { homeOf, KeyServer, type KeySetting, type SendTo } from './key-server.js'
import { RelocatingKeyServer } from './relocating-key-server.js'
import { StaleKeyServer } from './stale-key-server.js'

const count = 60
const start = new Float32Array(count)

test('keys are ranges, of many the first ones and the last, with commas between thousands', (t) => {
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, step) => first + step)
  t.is(keysText([...range(0, 999), ...range(2000, 2499)]), '0 to 999, 2,000 to 2,499')
  t.is(keysText([7]), '7')
  t.is(keysText(range(0, 10).map((key) => 2 * key)), '0, 2, 4, 6, 8, …, 20')
  t.is(keysText([0, 2, 4, 6, 8, 10]), '0, 2, 4, 6, 8, 10')
})

test('of more than four peers the first are named with their rows', (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(peerName)
  const server = { held: () => ({ keys: Uint32Array.of(0), rows: start }), whereIs: (key: number) => key % 7 }
  const error = new NeighboursMissingError([names[1]], 'a waits')
  const { message, missing } = withHeldRows(error, names.slice(1, 6), { server, names, count: 14 })
  const of = (name: string, keys: string) => `${name} held, or was the home of, 2 of 14 rows: ${keys}`
  t.is(
    message,
    ['a waits', of('b', '1, 8'), of('c', '2, 9'), of('d', '3, 10'), of('e', '4, 11'), 'and 1 more'].join('; ')
  )
  t.deepEqual(missing, [names[1]])
  t.regex(
    withHeldRows(error, names.slice(0, 1), { server, names, count: 7 }).message,
    /; a held no rows that are known here$/
  )
})

type Open = (setting: KeySetting, send: SendTo) => KeyServer

/** Three peers that hold rows, whose messages arrive at once. */
function three(open: Open): readonly KeyServer[] {
  const queue: (() => void)[] = []
  const servers: KeyServer[] = [0, 1, 2].map((self) =>
    open({ self, peers: 3, holders: 3, count, width: 1 }, (to, message) =>
      queue.push(() => invariant(servers[to].receive(self, message) === undefined, 'a message was refused'))
    )
  )
  const random = createRandom(1, 'moves')
  for (let move = 0; move < 40; move++) {
    servers[random.integer(3)].localize(Uint32Array.of(random.integer(count)))
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next()
  }
  return servers
}

const kinds: readonly (readonly [string, Open])[] = [
  ['fixed', (setting, send) => new KeyServer(setting, send, start)],
  [
    'with copies',
    (setting, send) => new StaleKeyServer(setting, send, start, { staleness: 1, synchronisation: 'server' })
  ],
  ['moving', (setting, send) => new RelocatingKeyServer(setting, send, start)],
  ['moving by intents', (setting, send) => new IntentKeyServer(setting, send, start, { every: 1 })]
]
for (const [name, open] of kinds) {
  test(`the others know together which rows each peer holds, and each the home of the rest: ${name}`, (t) => {
    const servers = three(open)
    for (const [lost, server] of servers.entries()) {
      const others = servers.filter((other) => other !== server)
      const known = others.map((other) => keysAt({ server: other, count }, lost))
      const held = [...server.held().keys]
      const missed = held.filter((key) => !known.some((keys) => keys.includes(key)))
      t.deepEqual(missed, [])
      // At the home of a row it is certain where it is.
      for (const key of known.flat())
        if (homeOf(key, 3) !== lost && servers[homeOf(key, 3)].whereIs(key) === lost)
          t.true(held.includes(key), `${key}`)
      for (const [place, other] of others.entries())
        for (const key of known[place]) t.false(other.held().keys.includes(key), `${key}`)
    }
  })
}
