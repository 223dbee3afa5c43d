/** The timeline of all peers, and the rates of all links. */
import type { PeerView, RunFacts, Second } from '../messages.js'
import { colour, found, prepared } from './elements.js'
import { rateText } from './format.js'
import { maxSeconds } from './limits.js'

const lanes = ['working', 'waiting', 'sending'] as const

/** Width of the column of names in pixels. */
const nameWidthOf = (names: readonly string[]): number =>
  Math.min(110, 14 + 7 * Math.max(2, ...names.map(({ length }) => length)))

let seconds: Second[][] = []
let shown: readonly PeerView[] = []

export function startTimeline(all: readonly (readonly Second[])[]): void {
  seconds = all.map((each) => [...each])
}

export function addSecond(second: readonly Second[]): void {
  second.forEach((value, index) => {
    const ofPeer = (seconds[index] ??= [])
    ofPeer.push(value)
    if (ofPeer.length > maxSeconds) ofPeer.shift()
  })
}

/** A row for each peer, a column for each second, and in each cell a lane for each of `lanes`. */
export function drawTimeline({ peers, servers }: RunFacts): void {
  const canvas = found<HTMLCanvasElement>('#timeline')
  const names = [...peers, ...servers]
  const nameWidth = nameWidthOf(names)
  const available = Math.max(nameWidth + 2 * maxSeconds, canvas.parentElement?.clientWidth ?? 0)
  const column = Math.min(10, (available - nameWidth) / maxSeconds)
  const lane = names.length > 24 ? 3 : 5
  const row = 3 * lane + 3
  const context = prepared(canvas, nameWidth + column * maxSeconds, names.length * row)
  const colours = lanes.map(colour)
  names.forEach((name, index) => {
    context.fillStyle = colour('text')
    context.textBaseline = 'middle'
    context.fillText(name, 0, index * row + row / 2, nameWidth - 6)
    const ofPeer = seconds[index] ?? []
    ofPeer.forEach((second, at) => {
      const left = nameWidth + column * (maxSeconds - ofPeer.length + at)
      second?.forEach((percent, which) => {
        context.fillStyle = colours[which]
        context.globalAlpha = percent / 100
        context.fillRect(left, index * row + which * lane, Math.max(1, column - 0.5), lane - 0.5)
      })
      context.globalAlpha = 1
    })
  })
  canvas.setAttribute('aria-label', `How each of ${names.length} peers spent each of the last ${maxSeconds} seconds`)
}

/** A square for each pair of neighbours. */
export function drawLinks(peers: readonly PeerView[]): void {
  shown = peers
  const canvas = found<HTMLCanvasElement>('#links')
  const size = cellSize()
  const nameWidth = linkNames()
  const side = nameWidth + size * peers.length
  const context = prepared(canvas, side, side)
  const indices = new Map(peers.map(({ name }, index) => [name, index]))
  const fastest = Math.max(1, ...peers.flatMap(({ links }) => links.map(([, , sent]) => sent)))
  const stride = Math.ceil(13 / size)
  context.fillStyle = colour('text')
  context.textBaseline = 'middle'
  peers.forEach(({ name }, index) => {
    if (index % stride !== 0) return
    context.fillText(name, 0, nameWidth + (index + 0.5) * size, nameWidth - 6)
    context.save()
    context.translate(nameWidth + (index + 0.5) * size, nameWidth - 6)
    context.rotate(-Math.PI / 2)
    context.fillText(name, 0, 0, nameWidth - 10)
    context.restore()
  })
  const [series, wrong, soft] = ['series', 'wrong', 'soft'].map(colour)
  peers.forEach(({ links }, index) => {
    for (const [to, state, sent] of links) {
      const left = nameWidth + (indices.get(to) ?? 0) * size
      const top = nameWidth + index * size
      const fill = (style: string, alpha: number) => {
        context.fillStyle = style
        context.globalAlpha = alpha
        context.fillRect(left, top, size - 1, size - 1)
      }
      fill(soft, 1)
      if (state === 'ready' || state === 'relayed') fill(series, sent === 0 ? 0.1 : 0.2 + 0.8 * (sent / fastest))
      else fill(wrong, 1)
      context.globalAlpha = 1
    }
  })
  canvas.setAttribute('aria-label', `The links of ${peers.length} peers; the fastest sends ${rateText(fastest)}`)
}

/** Shows the figures of the link under the pointer. */
export function listenToLinks(): void {
  const canvas = found<HTMLCanvasElement>('#links')
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const [from, to] = [offsetY, offsetX].map((at) => shown[Math.floor((at - linkNames()) / cellSize())])
    const link = from?.links.find(([name]) => name === to?.name)
    found<HTMLOutputElement>('#link').value = link === undefined ? '' : linkText(from.name, link)
  })
}

function linkText(from: string, [to, state, sent, received, roundTrip]: PeerView['links'][number]): string {
  const time = roundTrip === null ? '' : `, round trip ${roundTrip} ms`
  return `${from} → ${to}: ${state}, sends ${rateText(sent)}, receives ${rateText(received)}${time}`
}

const linkNames = () => nameWidthOf(shown.map(({ name }) => name))
const cellSize = () => (shown.length > 32 ? 8 : shown.length > 12 ? 16 : 28)
