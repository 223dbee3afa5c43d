import { invariant, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { heldText, keysText } from './held-rows.js'
import { IntentKeyServer } from './intent-key-server.js'
import { homeOf, KeyServer, type KeySetting, type SendTo } from './key-server.js'
import { RelocatingKeyServer } from './relocating-key-server.js'
import { StaleKeyServer } from './stale-key-server.js'

const [a, c] = ['a', 'c'].map(peerName)
const count = 60
const start = new Float32Array(count)

test('keys are ranges, of many the first ones and the last, with commas between thousands', (t) => {
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, step) => first + step)
  t.is(keysText([...range(0, 999), ...range(2000, 2499)]), '0 to 999, 2,000 to 2,499')
  t.is(keysText([7]), '7')
  t.is(keysText(range(0, 10).map((key) => 2 * key)), '0, 2, 4, 6, 8, …, 20')
  t.is(keysText([0, 2, 4, 6, 8, 10]), '0, 2, 4, 6, 8, 10')
})

test('what a lost peer held is said with what is certain, and what its home alone knows', (t) => {
  const text = (certain: number[], perhaps: number[]) => heldText({ name: c, rows: { certain, perhaps } }, 2500, a)
  t.is(text([0, 1, 2, 1400], []), 'c held 4 of 2,500 rows: 0 to 2, 1,400')
  t.is(text([], []), 'c held no rows that a knows of')
  t.is(text([], [3, 4]), 'of 2,500 rows c held of the 2 whose home it was those that had not moved away: 3 to 4')
  t.is(
    text([7], [3, 4]),
    'of 2,500 rows c held 1 whose home is a (7), and of the 2 whose home it was those that had not moved away: 3 to 4'
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
  test(`the others know together which rows each peer holds, or had at home: ${name}`, (t) => {
    const servers = three(open)
    for (const [lost, server] of servers.entries()) {
      const others = servers.filter((other) => other !== server)
      const certain = others.map((other) => other.rowsOf(lost).certain)
      const held = [...server.held().keys]
      for (const keys of certain) for (const key of keys) t.true(held.includes(key), `${key} is certain of ${lost}`)
      for (const other of others) {
        const { perhaps } = other.rowsOf(lost)
        t.true(perhaps.every((key) => homeOf(key, 3) === lost && !other.held().keys.includes(key)))
        const known = new Set([...certain.flat(), ...perhaps])
        t.deepEqual(
          held.filter((key) => !known.has(key)),
          []
        )
      }
    }
  })
}
