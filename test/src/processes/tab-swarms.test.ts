/** Two tabs in one run, tabs that fail, and the transports of tabs. */
import { timeLimit } from '@murmuration/contract'
import type { PeerSummary } from '@murmuration/experiment'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { executablePath, skipped } from './browser.js'
import { eventsOf, joined, opened, openedProfiles } from './tab-page.js'
import { eventually, peersForTabs, type RunOfTest } from './tab-runs.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

const training = (rounds: number, more = '') => `task: { kind: mlp, hidden: [32] }
data: { digits: 1500, size: 14 }
backend: wasm
rounds: ${rounds}
rate: { initial: 0.2 }
${more}`

/** Bytes that a tab has sent each other peer, and received from it. */
async function bytesOf(page: Page): Promise<Readonly<Record<string, readonly [number, number]>>> {
  const views = (await eventsOf(page)).flatMap((event) => (event.kind === 'peers' ? [event.peers] : []))
  return Object.fromEntries(views.at(-1)?.map(({ name, sent, received }) => [name, [sent, received]]) ?? [])
}

/** Trains to the end. Returns the summaries, those of tabs last, and the vectors of tabs over each of their edges. */
async function trained(t: ExecutionContext, run: RunOfTest) {
  const pages = await openedProfiles(t, run.tabs.length)
  const { peers, invitations } = await peersForTabs(t, run)
  await Promise.all(pages.map((page, index) => opened(page, `http://localhost/#join=${invitations[index]}`)))
  const summaries = await Promise.all([...peers.map(({ summary }) => summary), ...pages.map(joined)])
  const ofTabs = summaries.slice(peers.length)
  const vectors = await Promise.all(pages.map(async (page, index) => edgesOf(await bytesOf(page), ofTabs[index])))
  t.log(summaries.map(({ peer, accuracy, messages }) => [peer, accuracy, messages].join(' ')))
  t.log(JSON.stringify(vectors))
  return { summaries, vectors }
}

/** How many vectors went over each edge, there and back, by the bytes. */
function edgesOf(bytes: Awaited<ReturnType<typeof bytesOf>>, { payloadSent, messages }: PeerSummary) {
  const vectors = (count: number) => Math.round((count * messages) / payloadSent)
  return Object.fromEntries(Object.entries(bytes).map(([name, both]) => [name, both.map(vectors)]))
}

/** All have the same consensus: as accurate as each other, and near. */
function areOne(t: ExecutionContext, summaries: readonly PeerSummary[]): void {
  const accuracies = summaries.map(({ accuracy = 0 }) => accuracy)
  t.true(Math.min(...accuracies) > 0.6, String(accuracies))
  t.true(Math.max(...accuracies) - Math.min(...accuracies) <= 0.01, String(accuracies))
  for (const { consensusDistance = 1, peer } of summaries)
    t.true(consensusDistance < 0.01, `${peer} ${consensusDistance}`)
}

inBrowser(`two tabs and two peers in a ring train together, and use the edge between the tabs${skipped}`, async (t) => {
  t.timeout(timeLimit(120_000))
  const places = ['a', 'b', 'p', 'q']
  const text = training(100, 'membership: { quorum: 4 }\n')
  const run = { graph: 'ring', places, tabs: ['p', 'q'], training: text, browsers: true } as const
  const { summaries, vectors } = await trained(t, run)
  areOne(t, summaries)
  // On a machine that is too busy a peer may go on without a late vector.
  for (const [tab, other] of [
    [vectors[0], 'b'],
    [vectors[0], 'q'],
    [vectors[1], 'a'],
    [vectors[1], 'p']
  ] as const)
    t.true(Math.min(...tab[other]) > 80, `${other}: ${tab[other].join(' and ')}`)
})

inBrowser(`a tab whose process ends is dead for the others, and they go on${skipped}`, async (t) => {
  t.timeout(timeLimit(120_000))
  const [page] = await openedProfiles(t, 1)
  const text = training(1_000_000, 'membership: { quorum: 4 }\n')
  const run = { graph: 'ring', places: ['a', 'b', 'c', 'p'], tabs: ['p'], training: text, browsers: true } as const
  const { peers, invitations } = await peersForTabs(t, run)
  await opened(page, `http://localhost/#join=${invitations[0]}`)
  joined(page).catch(() => {})
  await eventually(t, 'all train with it', () =>
    peers.every(({ events }) => events.some((event) => event.kind === 'step' && event.round > 20))
  )
  const session = await page.context().newCDPSession(page)
  const killed = performance.now()
  session.send('Page.crash').catch(() => {})
  const seen = () =>
    peers.every(({ events }) => events.some((event) => 'text' in event && event.text.includes('p is dead')))
  await eventually(t, 'all have seen it', seen)
  t.log(`dead after ${Math.round(performance.now() - killed)} ms`)
  const rounds = peers.map(({ events }) => events.length)
  const goesOn = (from: number, index: number) => peers[index].events.slice(from).some(({ kind }) => kind === 'step')
  await eventually(t, 'the others go on', () => rounds.every(goesOn))
})

for (const [kind, listen] of [
  ['webrtc-direct', '/ip4/127.0.0.1/udp/0/webrtc-direct'],
  ['WebSockets', '/ip4/127.0.0.1/tcp/0/ws']
] as const) {
  inBrowser(`a tab trains with two peers over ${kind} alone${skipped}`, async (t) => {
    t.timeout(timeLimit(120_000))
    const text = training(60, 'membership: { quorum: 3 }\n')
    const common = { graph: 'ring', places: ['a', 'b', 'p'], tabs: ['p'], training: text, browsers: false } as const
    const seed = listen.slice(listen.lastIndexOf('/'))
    const { summaries, vectors } = await trained(t, { ...common, listen: [listen], seed })
    areOne(t, summaries)
    for (const name of ['a', 'b']) t.true(Math.min(...vectors[0][name]) > 48, JSON.stringify(vectors))
  })
}
