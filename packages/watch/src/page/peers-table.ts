/** The table of peers. */
import type { PeerView } from '../messages.js'
import { element, found } from './elements.js'
import { bytesText, countText, dash, percentText, rateText, shortText } from './format.js'

const titles = [
  'peer',
  'state',
  'round',
  'loss',
  'accuracy',
  'samples/s',
  'sent',
  'received',
  'sending',
  'time',
  'report'
]
const good = ['here', 'done', 'healthy']
const bad = ['dead', 'silent', 'isolated', 'partitioned']

/** Shows the state of each peer. */
export function showPeers(peers: readonly PeerView[]): void {
  const head = found('#peers thead')
  if (head.childElementCount === 0) {
    const cells = titles.map((title, index) =>
      element('th', { scope: 'col', ...(index < 2 ? { class: 'text' } : {}) }, title)
    )
    head.append(element('tr', {}, ...cells))
  }
  found('#peers tbody').replaceChildren(...peers.map(rowOf))
}

function rowOf(peer: PeerView): HTMLElement {
  const isKnown = peer.age !== undefined
  const cells = [
    countText(peer.round) + (peer.life > 1 ? ` (life ${peer.life})` : ''),
    shortText(peer.loss),
    percentText(peer.accuracy),
    isKnown ? countText(peer.samplesRate) : dash,
    isKnown ? bytesText(peer.bytesSent) : dash,
    isKnown ? bytesText(peer.bytesReceived) : dash,
    isKnown ? rateText(peer.sentRate) : dash
  ].map((text) => element('td', {}, text))
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, peer.name),
    element('td', { class: 'text' }, ...statesOf(peer)),
    ...cells,
    element('td', {}, barsOf(peer)),
    element('td', {}, isKnown ? `${Math.round(peer.age ?? 0)} s ago` : 'none')
  )
}

function statesOf({ condition, state, phase, waitsFor }: PeerView): Node[] {
  const words: string[] = [condition === 'here' && phase !== undefined ? phase : condition]
  if (state !== undefined && state !== 'healthy' && state !== 'starting') words.push(state)
  const kind = bad.some((word) => condition === word || words.includes(word)) ? 'wrong' : toneOf(condition, words)
  const chips = words.flatMap((word) => [
    element('span', { class: `chip ${kind}` }, word),
    document.createTextNode(' ')
  ])
  if (waitsFor.length > 0) chips.push(element('span', { class: 'warn' }, `waits for ${waitsFor.join(', ')}`))
  return chips
}

const toneOf = (condition: string, words: readonly string[]) =>
  words.includes('degraded') ? 'warn' : good.includes(condition) ? 'good' : ''

function barsOf({ working, waiting, sending }: PeerView): HTMLElement {
  const bars = { working, waiting, sending }
  const text = Object.entries(bars).map(([name, value]) => `${name} ${percentText(value)}`)
  const rows = Object.entries(bars).map(([name, value]) => {
    const bar = element('i', { class: name })
    bar.style.width = `${Math.round(100 * value)}%`
    return element('span', {}, bar)
  })
  return element(
    'div',
    { 'class': 'bars', 'role': 'img', 'title': text.join(', '), 'aria-label': text.join(', ') },
    ...rows
  )
}
