import { maxNoteBytes, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { protocolVersion } from '../base/constants.js'
import { type ControlMessage, decodeControl, encodeControl, ProtocolFault } from './control-messages.js'
import { SampleCounts } from '../questions/sample-counts.js'
import { SavedRounds } from '../questions/saved-rounds.js'

const runSettings = { settings: { run: 'r' }, start: 's', schema: [{ name: 'dense/kernel', shape: [3, 2] }] }
const messages: readonly ControlMessage[] = [
  {
    kind: 'hello',
    version: protocolVersion,
    name: peerName('a'),
    runSettings,
    incarnation: 'x',
    first: 1,
    codecs: ['int8']
  },
  { kind: 'welcome', name: peerName('b'), received: 2, acknowledged: 1, window: 4, codecs: [] },
  { kind: 'refused', code: 'schema', reason: 'tensor 1 differs', runSettings },
  { kind: 'ack', sequence: 7 },
  { kind: 'ping', at: 1.5, padding: '' },
  { kind: 'pong', at: 1.5, padding: '...' },
  { kind: 'note', note: 'é\u0000' },
  { kind: 'leave', reason: 'done' }
]

test('every message survives encoding', (t) => {
  for (const message of messages) t.deepEqual(decodeControl(encodeControl(message)), message)
})

test('the length limit of notes counts UTF-8 bytes', (t) => {
  const noteOf = (note: string) => decodeControl(encodeControl({ kind: 'note', note }))
  t.notThrows(() => noteOf('é'.repeat(maxNoteBytes / 2)))
  t.throws(() => noteOf(`${'é'.repeat(maxNoteBytes / 2)}e`), { instanceOf: ProtocolFault, message: /more than 65536/ })
})

test('of many wrong entries of a list or mapping, one is reported', (t) => {
  const many = <Entry>(entry: (k: number) => Entry) => Array.from({ length: 20_000 }, (_, k) => entry(k))
  const [a, b] = ['a', 'b'].map(peerName)
  const [hello] = messages
  const messageFor = (changes: object) => {
    const runSettings = { settings: {}, start: 'x', schema: [], ...changes }
    const bytes = Buffer.from(JSON.stringify({ ...hello, runSettings }))
    return t.throws(() => decodeControl(bytes), { instanceOf: ProtocolFault })?.message ?? ''
  }
  t.regex(messageFor({ schema: many(() => ({})) }), /"runSettings.schema.0.name": (?!.*more\))/)
  t.regex(
    messageFor({ settings: Object.fromEntries(many((k) => [`s${k}`, 1])) }),
    /"runSettings.settings.s0": (?!.*more\))/
  )
  t.regex(messageFor({ schema: 1, settings: 1 }), /\(and 1 more\)/)
  t.throws(
    () =>
      new SampleCounts(a, [a, b]).merge(
        b,
        many(() => [])
      ),
    { message: /16384/ }
  )
  t.throws(
    () =>
      new SavedRounds(a, [a, b]).merge(
        b,
        many(() => ({}))
      ),
    { message: /16384/ }
  )
})

test('any bytes are a message or a ProtocolFault', (t) => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom(...messages.map((message) => JSON.stringify(message).slice(1)))
  )
  fc.assert(
    fc.property(
      fc.oneof(
        text.map((each) => Buffer.from(each)),
        fc.uint8Array()
      ),
      (bytes) => {
        t.throws(() => decodeControl(bytes), { instanceOf: ProtocolFault })
      }
    )
  )
})

test('messages with a field out of range are refused, and the field is named', (t) => {
  const [hello, welcome] = messages
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...hello, name: '../etc' }, /"name"/],
    [{ ...hello, version: 1 }, /of the wire 1, expected/],
    [{ ...hello, first: 0 }, /"first"/],
    [
      { ...hello, runSettings: { ...runSettings, schema: [{ name: 'w', shape: [-1] }] } },
      /"runSettings.schema.0.shape.0"/
    ],
    [{ ...welcome, window: 0 }, /"window"/],
    [{ ...welcome, received: 1.5 }, /"received"/],
    [{ kind: 'gossip' }, /"kind"/]
  ]
  for (const [message, expected] of cases) {
    t.throws(() => decodeControl(Buffer.from(JSON.stringify(message))), {
      instanceOf: ProtocolFault,
      message: expected
    })
  }
})
