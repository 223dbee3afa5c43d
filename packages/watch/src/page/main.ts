/** Updates the page by the peer's messages. */
import type { RunFacts, SwarmNow, WatchMessage } from '../messages.js'
import { addSecond, drawLinks, drawTimeline, listenToLinks, startTimeline } from './canvases.js'
import { addRow, resizeCharts, startCharts } from './charts.js'
import { element, found } from './elements.js'
import { countText, dash, namesText, percentText, rateText, shortText, timeText } from './format.js'
import { showPeers } from './peers-table.js'

let facts: RunFacts | undefined
let now: SwarmNow | undefined

function take(message: WatchMessage): void {
  if (message.kind === 'end') return end()
  now = message.now
  if (message.kind === 'snapshot') {
    facts = message.facts
    startCharts(facts, message.curves)
    startTimeline(message.seconds)
  } else {
    if (facts !== undefined && message.row !== undefined) addRow(facts, message.row)
    addSecond(message.second)
  }
  show()
}

function show(): void {
  if (facts === undefined || now === undefined) return
  const state = now.state ?? 'running'
  showConnection(state, tones[state] ?? '')
  showFacts(facts, now)
  showTiles(facts, now)
  showPeers(now.peers)
  showEvents(now)
  draw()
}

/** The colours of states: a run that starts, or that lacks peers, is not in order yet. */
const tones: Readonly<Record<string, string>> = {
  running: 'good',
  healthy: 'good',
  degraded: 'warn',
  partitioned: 'wrong',
  isolated: 'wrong'
}

function draw(): void {
  if (facts === undefined || now === undefined) return
  drawTimeline(facts)
  drawLinks(now.peers)
}

function showFacts({ self, peers, topology, algorithm, about }: RunFacts, { epoch }: SwarmNow): void {
  document.title = `${self}: Murmuration`
  const parts = [
    `as seen by ${self}`,
    `${peers.length} peers, ${topology}`,
    algorithm,
    about.model,
    about.data,
    about.backend,
    epoch && `epoch ${epoch.number} of ${namesText(epoch.members)}`
  ]
  const text = parts.filter((part) => part !== undefined).join(' · ')
  const host = found('#facts')
  // A reader may have selected a part of it.
  if (host.textContent !== text) host.textContent = text
}

function showTiles({ peers, rounds, finalRounds }: RunFacts, swarm: SwarmNow): void {
  const total = rounds + finalRounds
  const present = swarm.peers.filter(({ condition }) => condition === 'here' || condition === 'done')
  const reached = present.map(({ round }) => round)
  const [first, last] = reached.length === 0 ? [0, 0] : [Math.min(...reached), Math.max(...reached)]
  const tiles: readonly (readonly [string, string, string?])[] = [
    ['peers present', `${swarm.present ?? present.length}`, ` of ${peers.length}`],
    [`round of ${countText(total)}`, first === last ? countText(first) : `${countText(first)}–${countText(last)}`],
    ['loss', shortText(swarm.loss)],
    ['accuracy', percentText(swarm.accuracy)],
    ['consensus distance', shortText(swarm.consensusDistance)],
    ...(swarm.gap === undefined ? [] : [['duality gap', shortText(swarm.gap)] as const]),
    ['samples/s', countText(swarm.samplesRate)],
    ['sent', rateText(swarm.sentRate)],
    ['watched for', timeText(swarm.time)]
  ]
  found('#tiles').replaceChildren(
    ...tiles.map(([title, value, more]) => {
      const small = more === undefined ? [] : [element('small', {}, more)]
      return element('div', {}, element('dt', {}, title), element('dd', {}, value || dash, ...small))
    })
  )
  found<HTMLElement>('#progress div').style.width = `${total === 0 ? 0 : Math.min(100, (100 * first) / total)}%`
}

function showEvents({ events }: SwarmNow): void {
  const items = events
    .toReversed()
    .map(({ time, text }) => element('li', {}, element('time', {}, timeText(time)), text))
  found('#events').replaceChildren(...(items.length === 0 ? [element('li', { class: 'quiet' }, 'none yet')] : items))
}

function showConnection(text: string, kind: string): void {
  const chip = found<HTMLElement>('#connection')
  chip.className = `chip ${kind}`
  chip.textContent = text
}

function end(): void {
  source.close()
  showConnection('this peer has ended', '')
}

const source = new EventSource(`/events${location.search}`)
source.onmessage = ({ data }: MessageEvent<string>) => take(JSON.parse(data) as WatchMessage)
source.onerror = () => showConnection('connection lost; reconnecting', 'wrong')
addEventListener('resize', () => {
  resizeCharts()
  draw()
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  // Axes keep the colours of their first drawing.
  if (facts !== undefined) location.reload()
})
listenToLinks()
