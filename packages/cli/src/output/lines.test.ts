import { PassThrough } from 'node:stream'
import { peerName } from '@murmuration/core'
import type { RunEvent } from '@murmuration/experiment'
import test from 'ava'
import { lineOutput, logOutput } from './lines.js'

const [a, b] = ['a', 'b'].map(peerName)
const neighbour = (state: string) => ({ kind: 'neighbour', peer: a, neighbour: b, state }) as const
const membership = { kind: 'membership', peer: a, present: 1, members: 2, missing: [b], text: 'a: b is dead' } as const
const epoch = {
  kind: 'epoch',
  peer: a,
  epoch: 1,
  round: 6,
  members: [a],
  servers: [],
  givers: [a],
  joined: [],
  seconds: 1
} as const
const events: readonly RunEvent[] = [
  { kind: 'note', text: 'one\ntwo' },
  neighbour('ready'),
  neighbour('silent'),
  { ...membership, state: 'isolated' },
  { ...membership, state: 'healthy' },
  { kind: 'outlier', peer: a, neighbour: b, round: 7, distance: 8, typical: 1 },
  { ...epoch, lost: [b] },
  { ...epoch, lost: [] }
]

function textOf(outputOf: (stream: PassThrough) => ReturnType<typeof lineOutput>): string[] {
  const stream = new PassThrough()
  const output = outputOf(stream)
  for (const event of events) output.event(event)
  return String(stream.read()).trimEnd().split('\n')
}

test('each line of a peer’s log has its time and its level', (t) => {
  const time = '2026-11-27T10:00:00.000Z'
  const lines = textOf((stream) => logOutput(stream, () => new Date(time)))
  t.deepEqual(
    lines.map((line) => line.slice(0, time.length)),
    lines.map(() => time)
  )
  t.deepEqual(
    lines.map((line) => line.slice(time.length + 1, time.length + 14)),
    [
      'info one',
      'info two',
      'info a: b is ',
      'warn a: b is ',
      'warn a: b is ',
      'info a: b is ',
      'warn a: b sen',
      'warn a: epoch',
      'info a: epoch'
    ]
  )
})

test('other commands print the lines alone', (t) => {
  t.deepEqual(textOf(lineOutput).slice(0, 3), ['one', 'two', 'a: b is ready'])
})
