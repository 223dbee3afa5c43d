import { EventEmitter } from 'node:events'
import { peerName } from '@murmuration/core'
import chalk from 'chalk'
import test, { type ExecutionContext } from 'ava'
import type { RunEvent } from '@murmuration/experiment'
import { liveOutput } from './live.js'
import { lengthOf } from './peer-table.js'

/** A terminal that keeps what is written, one screen at a time. */
class FakeTerminal extends EventEmitter {
  readonly isTTY = true
  readonly written: string[] = []

  constructor(
    public columns: number,
    public rows: number
  ) {
    super()
  }

  write(text: string): boolean {
    this.written.push(text)
    return true
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows })
    this.emit('resize')
  }

  /** The lines of the last screen. */
  lines(): string[] {
    return (this.written.at(-1) ?? '').split('\n')
  }
}

const names = (count: number) => Array.from({ length: count }, (_, k) => peerName(`a-peer-with-a-name-${k}`))

/** The events of a swarm of so many peers, each with four neighbours, until its 123rd round. */
function* eventsOf(count: number): Generator<RunEvent> {
  const peers = names(count)
  const algorithm =
    'dpsgd combine-then-adapt, batch 32, rate 0.1 cosine after 0 of 400 rounds, momentum 0.9, weight decay 0.0001'
  const common = { rounds: 400, finalRounds: 39, codec: 'float32', version: '1.2.3', wire: 9 }
  yield {
    kind: 'start',
    peers,
    topology: `random-regular (degree 4, seed 1)`,
    spectralGap: 0.3333,
    algorithm,
    ...common
  }
  for (const peer of peers) {
    const about = { model: 'mlp 784-128-10, 101,770 parameters', data: 'digits, 5,000 samples', backend: 'wasm' }
    yield { kind: 'peer', peer, pid: 1, id: 'id', addresses: [], parameters: 101_770, about }
  }
  for (const [k, peer] of peers.entries()) {
    for (let step = 1; step <= 4; step++) {
      yield { kind: 'neighbour', peer, neighbour: peers[(k + step) % count], state: 'ready' }
    }
    const figures = { samples: 123_456, disagreement: 0.0123, seconds: 12, waiting: 0.934 }
    const traffic = { bytesSent: 123_456_789, bytesReceived: 123_456_789, missing: [], unsent: [], distances: [] }
    yield { kind: 'step', peer, round: 122, phase: 'train', loss: 0.2, rate: 0.1, ...figures, ...traffic }
  }
  yield { kind: 'evaluation', of: 'mean', round: 120, loss: 0.3, accuracy: 0.9345, consensusDistance: 7.3e-7 }
}

function displayOf(t: ExecutionContext, terminal: FakeTerminal, events: Iterable<RunEvent>) {
  const output = liveOutput(terminal as unknown as NodeJS.WriteStream, () => 12_000)
  t.teardown(() => output.end())
  for (const event of events) output.event(event)
  terminal.emit('resize')
  return output
}

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [60, 20],
  [40, 15]
]) {
  for (const peers of [4, 16, 64]) {
    test(`the display of ${peers} peers fits ${columns} × ${rows}, and says round, loss and quality`, (t) => {
      const terminal = new FakeTerminal(columns, rows)
      displayOf(t, terminal, eventsOf(peers))
      const lines = terminal.lines()
      t.true(lines.length <= rows, lines.join('\n'))
      for (const line of lines) t.true(lengthOf(line) < columns, line)
      const text = lines.join('\n')
      for (const said of [/murmuration/, /123\/439 rounds/, /loss .*0\.200/, /93\.45 %/, /a-peer-with/])
        t.regex(text, said)
      const shown = lines.filter((line) => line.includes('a-peer-with')).length
      const more = Number(/and (\d+) more/.exec(text)?.[1] ?? 0)
      t.is(shown + more, peers)
    })
  }
}

test('a window that changes its size is drawn anew as a whole, with the notes above, and no longer when the run is over', (t) => {
  const terminal = new FakeTerminal(120, 40)
  const output = displayOf(t, terminal, eventsOf(4))
  output.event({ kind: 'note', text: 'an unknown peer was refused' })
  terminal.resize(60, 20)
  const [cleared, drawn] = terminal.written.slice(-2)
  t.true(cleared.includes('\u001B[2J'))
  t.true(cleared.includes('an unknown peer was refused'))
  for (const line of drawn.split('\n')) t.true(lengthOf(line) < 60, line)
  output.end()
  const count = terminal.written.length
  terminal.resize(80, 24)
  t.is(terminal.written.length, count)
})

test('a peer that is lost is marked, and the progress is that of the others', (t) => {
  const terminal = new FakeTerminal(80, 24)
  const peer = names(4)[1]
  const output = displayOf(t, terminal, eventsOf(4))
  output.event({
    kind: 'lost',
    peer,
    reason: `the process of peer ${peer} ended by SIGKILL`,
    consequence: 'the others continue'
  })
  for (const event of eventsOf(4))
    if (event.kind === 'step' && event.peer !== peer) output.event({ ...event, round: 199 })
  terminal.emit('resize')
  const text = terminal.lines().join('\n')
  t.regex(text, /200\/439 rounds/)
  t.regex(text, /lost/)
})

test('an epoch is said above the display, and its number and members stay in it', (t) => {
  const terminal = new FakeTerminal(80, 24)
  const peers = names(4)
  const output = displayOf(t, terminal, eventsOf(4))
  t.notRegex(terminal.lines().join('\n'), /epoch/)
  const of = { kind: 'epoch', round: 123, servers: [], joined: [], seconds: 0.7 } as const
  const first = { ...of, epoch: 1, members: peers.slice(1), givers: peers.slice(1), lost: [peers[0]] }
  const second = { ...of, epoch: 2, members: peers.slice(2), givers: peers.slice(2), lost: [peers[1]] }
  output.event({ ...first, peer: peers[1] })
  output.event({ ...second, peer: peers[2] })
  output.event({ ...first, peer: peers[2] })
  terminal.emit('resize')
  t.true(terminal.written.join('').includes(`epoch 2: ${peers[1]} is gone; ${peers[2]}, ${peers[3]} continue`))
  t.true(terminal.lines().some((line) => line.includes(`epoch    2, of ${peers[2]}, ${peers[3]}`)))
})

test.before(() => {
  chalk.level = 1
})
