/** A run watched from one peer: by a process, and in a real browser. */
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { Board, type PeerReport, reportNote, type SwarmNow, watchAddress, WatchServer } from '@murmuration/watch'
import test from 'ava'
import { executablePath, openedBrowser, skipped } from './browser.js'
import { PeerProcesses } from './peer-processes.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

/** The first state of the swarm, from the events of a page, for which `isIt` holds. */
async function until(url: string, isIt: (now: SwarmNow) => boolean): Promise<SwarmNow> {
  const { body } = await fetch(`${url}events`, { signal: AbortSignal.timeout(timeLimit(60_000)) })
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true })
    const lines = text.split('\n\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const { now } = JSON.parse(line.replace('data: ', '')) as { readonly now?: SwarmNow }
      if (now !== undefined && isIt(now)) return now
    }
  }
  throw new Error('the page was told of no such state before its end')
}

test('one peer shows what all report, and says which is dead', async (t) => {
  const names = ['a', 'b']
  const peers = await PeerProcesses.prepare(t, { names, graph: 'complete', training: 'rounds: 100000\ntimeout: 5 s' })
  const running = names.map((name) => peers.start(name, ...(name === 'a' ? ['--watch'] : [])))
  const url = String((await running[0].telling('the page', ({ kind }) => kind === 'watch')).url)
  const now = await until(url, (swarm) =>
    swarm.peers.every(({ age, loss, sentRate, links, round }) => {
      const isTraining = age !== undefined && age < 5 && loss !== undefined && sentRate > 0 && round > 0
      return isTraining && links.every(([, state, sent]) => state === 'ready' && sent > 0)
    })
  )
  t.deepEqual(
    now.peers.map(({ name, condition, phase }) => [name, condition, phase]),
    names.map((name) => [peerName(name), 'here', 'training'])
  )
  t.deepEqual([now.state, now.members, now.present], ['healthy', 2, 2])
  const metrics = await (await fetch(`${url}metrics`)).text()
  t.regex(metrics, /^murmuration_peer_sent_bytes_total\{peer="b"\} [1-9]/m)
  peers.signal('b', 'SIGKILL')
  const after = await until(url, (swarm) => swarm.peers[1].condition === 'dead' && swarm.state === 'isolated')
  t.true(after.events.some(({ text }) => text.includes('b is dead')))
})

inBrowser(
  `64 peers fit a page, on a phone too; hostile texts are shown as texts; nothing is complained about${skipped}`,
  async (t) => {
    const names = Array.from({ length: 64 }, (_, place) => peerName(`peer-${place}`))
    const facts = { self: names[0], peers: names, servers: [], topology: 'ring', algorithm: '<b>D-PSGD</b>' }
    const board = new Board(
      {
        ...facts,
        rounds: 100,
        finalRounds: 0,
        version: '1.2.3',
        wire: 9,
        about: { model: '<script>alert(1)</script>' }
      },
      1000,
      0
    )
    const server = await WatchServer.start(board, watchAddress('0'))
    t.teardown(() => server.close())
    const second = (time: number) => {
      names.forEach((name, place) => {
        const report: PeerReport = {
          phase: 'training',
          state: 'healthy',
          round: time,
          life: 1,
          samples: 32 * time,
          seconds: time,
          loss: 2 / time + place / 100,
          bytesSent: 1000 * time,
          bytesReceived: 0,
          working: 1,
          waiting: 0,
          sending: 0.5,
          links: [[names[(place + 1) % 64], place === 5 ? 'silent' : 'ready', 1000, 1000, 2]]
        }
        board.take(name, reportNote(report), 1000 * time)
      })
      board.note('<img src=x onerror=alert(1)>', 1000 * time)
      server.send(board.tick(1000 * time + 500))
    }
    for (let time = 1; time <= 20; time++) second(time)
    const { page, complaints } = await openedBrowser(t, server.url, { viewport: { width: 390, height: 844 } })
    await page.locator('#peers tbody tr').nth(63).waitFor()
    t.is(await page.locator('#charts .uplot').count(), 4)
    second(21)
    await page.locator('#peers tbody tr').first().getByText('21', { exact: true }).waitFor()
    t.is(await page.locator('main img, main script, #facts b').count(), 0)
    t.regex((await page.locator('#facts').textContent()) ?? '', /64 peers, ring · <b>D-PSGD<\/b> · <script>alert/)
    t.regex((await page.locator('#events li').first().textContent()) ?? '', /<img src=x/)
    t.regex((await page.locator('#links').getAttribute('aria-label')) ?? '', /64 peers; the fastest sends 1 kB\/s/)
    const isWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
    t.false(await page.evaluate(isWide))
    server.close()
    await page.getByText('this peer has ended').waitFor()
    t.deepEqual(complaints, [])
  }
)

inBrowser(
  `an epoch is among the facts of the run once it begins, of many members their number${skipped}`,
  async (t) => {
    const names = Array.from({ length: 9 }, (_, place) => peerName(`p${place}`))
    const facts = { self: names[0], peers: names, servers: [], topology: 'ring', algorithm: 'all-reduce' }
    const board = new Board({ ...facts, version: '1.2.3', wire: 10, rounds: 100, finalRounds: 0, about: {} }, 1000, 0)
    const server = await WatchServer.start(board, watchAddress('0'))
    t.teardown(() => server.close())
    const { page, complaints } = await openedBrowser(t, server.url, { viewport: { width: 1280, height: 900 } })
    const text = () => page.locator('#facts').textContent()
    await page.getByText('9 peers, ring').waitFor()
    t.notRegex((await text()) ?? '', /epoch/)
    for (const [number, members, said] of [
      [1, names.slice(1), 'epoch 1 of p1, p2, p3, p4, p5, p6, p7, p8'],
      [2, names, 'epoch 2 of 9 peers']
    ] as const) {
      board.learn({ epoch: { number, members } })
      server.send(board.tick(1000 * number))
      await page.getByText(said).waitFor()
      t.true((await text())?.endsWith(` · ${said}`))
    }
    t.deepEqual(complaints, [])
  }
)

inBrowser(`charts have their places before the first loss, and a run that starts is not green${skipped}`, async (t) => {
  const names = ['a', 'b', 'c', 'd'].map(peerName)
  const facts = { self: names[0], peers: names, servers: [], topology: 'ring', algorithm: 'D-PSGD' }
  const run = { ...facts, version: '1.2.3', wire: 10, rounds: 100, finalRounds: 0, about: {} }
  const board = new Board(run, 1000, 0)
  const server = await WatchServer.start(board, watchAddress('0'))
  t.teardown(() => server.close())
  const tick = (time: number, state: string) =>
    server.send(
      board.tick(1000 * time, {
        state,
        members: 1,
        present: 1,
        standingOf: (peer) => ({ condition: peer === 'a' ? 'here' : 'absent', round: 0, life: 1, waitsFor: [] })
      })
    )
  tick(1, 'starting')
  const { page, complaints } = await openedBrowser(t, server.url, { viewport: { width: 1920, height: 900 } })
  await page.locator('#charts .uplot').nth(3).waitFor()
  const overhang = await page.evaluate(() =>
    [...document.querySelectorAll('#charts figure')].map(
      (figure) => (figure.querySelector('.uplot')?.clientWidth ?? 0) - figure.clientWidth
    )
  )
  t.deepEqual(overhang, [0, 0, 0, 0])
  t.is(await page.locator('#tiles dd').first().textContent(), '1 of 4')
  for (const [time, state, tone] of [
    [2, 'starting', 'chip'],
    [3, 'degraded', 'chip warn'],
    [4, 'healthy', 'chip good'],
    [5, 'isolated', 'chip wrong']
  ] as const) {
    tick(time, state)
    await page.locator(`#connection:text-is("${state}")`).waitFor()
    t.is((await page.locator('#connection').getAttribute('class'))?.trim(), tone, state)
  }
  t.deepEqual(complaints, [])
})
