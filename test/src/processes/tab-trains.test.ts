/** A tab in a real browser trains with peers in Node. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import { makePlan, type PeerSummary } from '@murmuration/experiment'
import { predict } from '@murmuration/experiment/models'
import test, { type ExecutionContext } from 'ava'
import { executablePath, skipped } from './browser.js'
import { murmur, temporaryFolder } from './command.js'
import { eventsOf, joined, opened, openedTab, type TabWindow } from './tab-page.js'
import { eventually, peersForTabs } from './tab-runs.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

/** Three peers of this process that wait for a fourth, and an invitation for it. */
async function threePeers(t: ExecutionContext, training: string, folder?: string) {
  const run = { graph: 'ring', places: ['a', 'b', 'c', 'phone'], tabs: ['phone'], training, browsers: true } as const
  const { peers, invitations, request } = await peersForTabs(t, { ...run, folder })
  return { peers, line: invitations[0], request }
}

const synchronous = `task: { kind: mlp, hidden: [32] }
data: { digits: 1500, size: 14 }
backend: wasm
rounds: 60
rate: { initial: 0.2 }
membership: { quorum: 4 }
`

inBrowser(`three peers in Node and a tab train to the bits of four simulated peers${skipped}`, async (t) => {
  t.timeout(timeLimit(120_000))
  const { page } = await openedTab(t)
  const tabs = await threePeers(t, synchronous)
  const card = await opened(page, `http://localhost/#join=${tabs.line}`)
  t.like(card, { place: 'phone', rounds: 60, peers: ['a', 'b', 'c', 'phone'], samples: { kind: 'none' } })
  const [tab, ...peers] = await Promise.all([joined(page), ...tabs.peers.map(({ summary }) => summary)])
  const views = (await eventsOf(page)).flatMap((event) => (event.kind === 'peers' ? [event.peers] : []))
  const bytes = Object.fromEntries(views.at(-1)?.map(({ name, sent, received }) => [name, [sent, received]]) ?? [])

  const { run, finalRounds } = await simulated(tabs.request)
  const all = [tab, ...peers]
  const { accuracy = 0 } = run.curve.at(-1) ?? {}
  for (const each of all) t.true(Math.abs((each.accuracy ?? 0) - accuracy) <= 0.01, `${each.accuracy} and ${accuracy}`)
  const sent = all.map(({ messages }) => messages)
  t.true(Math.min(...sent) >= 2 * (60 + finalRounds), 'vectors went over every edge in every round')
  // On a machine that is too busy a peer may go on without a late vector.
  if (Math.max(...sent) > 2 * (60 + finalRounds)) return t.log('disturbed', sent)
  t.deepEqual(Object.fromEntries(all.map(({ peer, model }) => [peer, model])), run.models)
  const vectors = tab.payloadSent / 2
  t.true(Math.min(...bytes.a, ...bytes.c) > 0.9 * vectors, JSON.stringify(bytes))
  t.deepEqual(bytes.b, [0, 0])
})

interface SimulatedResult {
  readonly models: Readonly<Record<string, string>>
  readonly curve: readonly { readonly accuracy: number }[]
}

/** The same run of four peers in Node, without a network. */
async function simulated({ topology, train }: { readonly topology: string; readonly train: string }) {
  const home = await temporaryFolder()
  const { code, stdout, stderr } = await murmur(['sim', topology, '--train', train, '--json', '--out', home], home)
    .result
  if (code !== 0) throw new Error(stderr)
  const plan = await makePlan({ topology, train })
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const run = lines.find(({ kind }) => kind === 'run') as unknown as SimulatedResult
  return { run, finalRounds: plan.options.finalRounds }
}

/** The rounds take long enough for what the test does meanwhile. */
const endless = `task: { kind: mlp, hidden: [32] }
data: { digits: 1500, size: 14 }
backend: wasm
rounds: 1000000
rate: { initial: 0.05 }
membership: { quorum: 4 }
`

inBrowser(
  `the peers see at once that a tab has left, by its button or when it is closed; a reload is the same peer${skipped}`,
  async (t) => {
    t.timeout(timeLimit(120_000))
    const { page } = await openedTab(t)
    const { peers, line } = await threePeers(t, endless)
    const seen = (text: string) =>
      peers.map(({ events }) => events.filter((event) => 'text' in event && event.text.includes(text)).length)
    const trains = async () => {
      await opened(page, `http://localhost/#join=${line}`)
      const ended = page.evaluate(() =>
        (window as unknown as TabWindow).run.join().then(String, ({ message }) => String(message))
      )
      await page.waitForFunction(
        () => (window as unknown as TabWindow).events.filter(({ kind }) => kind === 'step').length > 2
      )
      // Its page may be gone by then.
      ended.catch(() => {})
      // As an object, since a promise would be awaited.
      return { ended }
    }
    const { ended } = await trains()
    await page.evaluate(() => (window as unknown as TabWindow).run.leave())
    t.is(await ended, 'This tab has left the run.')
    await eventually(t, 'all have seen it', () => seen('phone has left').every((count) => count === 1))
    const last = (await eventsOf(page)).filter(({ kind }) => kind === 'phase').at(-1)
    t.like(last, { phase: 'left' })

    await page.reload()
    await trains()
    await eventually(t, 'it is back', () => seen('phone has started again, life 2').every((count) => count === 1))
    await page.goto('about:blank')
    await eventually(t, 'all have seen it again', () => seen('phone has left').every((count) => count === 2))
    t.deepEqual(seen('phone is dead'), [0, 0, 0])
  }
)

inBrowser(`a tab where WebRTC never connects, as in Firefox on loopback, trains by WebSocket${skipped}`, async (t) => {
  t.timeout(timeLimit(120_000))
  const { page } = await openedTab(t)
  await page.addInitScript(() => {
    // It looks for no address of its own.
    const withoutAddresses = class extends RTCPeerConnection {
      constructor(configuration?: RTCConfiguration) {
        super({ ...configuration, iceTransportPolicy: 'relay' })
      }
    }
    globalThis.RTCPeerConnection = withoutAddresses
  })
  await page.reload()
  const { peers, line } = await threePeers(t, endless)
  await opened(page, `http://localhost/#join=${line}`)
  t.is(await page.evaluate(() => (window as unknown as TabWindow).run.device.key), 'webcrypto')
  const ended = joined(page).catch(({ message }) => String(message))
  await page.waitForFunction(
    () => (window as unknown as TabWindow).events.some(({ kind }) => kind === 'step'),
    undefined,
    {
      timeout: timeLimit(40_000)
    }
  )
  await page.evaluate(() => globalThis.dispatchEvent(new Event('offline')))
  const notes = (await eventsOf(page)).flatMap((event) => (event.kind === 'note' ? [event.text] : []))
  t.true(notes.some((text) => text.startsWith('This device is off the network')))
  await page.evaluate(() => (window as unknown as TabWindow).run.leave())
  t.regex(String(await ended), /This tab has left the run/)
  const unknown = peers.flatMap(({ events }) =>
    events.filter((event) => JSON.stringify(event).includes('it presented no invitation'))
  )
  t.deepEqual(unknown, [])
})

/** Rows of two classes: the sum of both numbers is above 1 or not. */
function rows(count: number, from: number): string {
  const numbers = Array.from({ length: count }, (_, index) => [
    (0.37 * (from + index)) % 1,
    (0.61 * (from + index)) % 1
  ])
  return `x,y,class\n${numbers.map(([x, y]) => `${x},${y},${x + y > 1 ? 'above' : 'below'}\n`).join('')}`
}

const onTables = `task: { kind: mlp, hidden: [16] }
data: { path: own.csv }
test: { path: common.csv, sha256: ${createHash('sha256').update(rows(60, 500)).digest('hex')} }
partition: { local: per-peer }
rounds: 150
rate: { initial: 0.2 }
membership: { quorum: 4 }
`

inBrowser(
  `a tab trains on a table of its own; its model predicts here and in Node, and what is wrong is one sentence${skipped}`,
  async (t) => {
    t.timeout(timeLimit(120_000))
    const { page } = await openedTab(t)
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'own.csv'), rows(80, 0))
    await writeFile(join(folder, 'common.csv'), rows(60, 500))
    const { peers, line } = await threePeers(t, onTables, folder)
    const failing = (link: string) =>
      page.evaluate(
        (text) =>
          (window as unknown as TabWindow).open_(text).then(
            () => '',
            ({ message }) => String(message)
          ),
        link
      )
    t.regex(await failing('http://localhost/'), /^This link has no invitation: .*\.$/)
    t.regex(
      await failing(`http://localhost/#join=${line.slice(0, -9)}`),
      /^The invitation is damaged; expected the whole line.*\.$/
    )
    const card = await opened(page, `http://localhost/#join=${line}`)
    t.deepEqual(card.samples, { kind: 'table', test: 'common.csv' })

    const given = { 'mine.csv': rows(90, 200), 'common.csv': rows(60, 500) }
    const joinedWith = (files: Readonly<Record<string, string>>) =>
      page.evaluate(async (texts) => {
        const samples = Object.entries(texts).map(([path, text]) => ({ path, file: new Blob([text]) }))
        return (window as unknown as TabWindow).run.join(samples).then(JSON.stringify, ({ message }) => String(message))
      }, files)
    t.is(await joinedWith({}), 'The run needs data of yours: drop them on the page.')
    t.is(await joinedWith({ 'mine.csv': given['mine.csv'] }), 'All peers test on common.csv: drop it on the page, too.')
    const [text, ...others] = await Promise.all([joinedWith(given), ...peers.map(({ summary }) => summary)])
    t.true(text.startsWith('{'), text)
    const summary = JSON.parse(text) as PeerSummary
    t.true((summary.accuracy ?? 0) > 0.9, text)
    for (const { accuracy } of others) t.true(Math.abs((accuracy ?? 0) - (summary.accuracy ?? 0)) <= 1 / 60)

    const table = 'x,y\n0.9,0.8\n'
    const predicted = await page.evaluate(
      (row) => (window as unknown as TabWindow).run.predict(new Blob([row]), 'row.csv'),
      table
    )
    t.is(predicted.classes?.[0].name, 'above')
    const bytes = await page.evaluate(async () => [
      ...new Uint8Array(await (await (window as unknown as TabWindow).run.model()).arrayBuffer())
    ])
    const [model, row] = [join(folder, 'model.safetensors'), join(folder, 'row.csv')]
    await writeFile(model, Uint8Array.from(bytes))
    await writeFile(row, table)
    for await (const { classes } of predict(model, [row])) t.deepEqual(classes, predicted.classes)
  }
)
