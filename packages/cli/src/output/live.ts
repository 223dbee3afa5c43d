import { shownMessage } from '@murmuration/core'
import chalk from 'chalk'
import { createLogUpdate } from 'log-update'
import type { BrowsersEvent, Output, RunEvent } from '@murmuration/experiment'
import { qrText } from '../browsers/qr-text.js'
import { RunBoard } from './board.js'
import { lineOf } from './texts.js'

const frameInterval = 100

/** At most so many of the lines above the display are printed again when the window is resized. */
const maxKept = 5

/** Erases the window and moves to its first line; the scrollback stays. */
const clearWindow = '\u001B[2J\u001B[H'

/** A display for a terminal, redrawn a few times a second; what should stay is printed above it. */
export function liveOutput(stream: NodeJS.WriteStream, now: () => number): Output {
  const board = new RunBoard(now)
  const update = createLogUpdate(stream, { showCursor: false })
  const kept: string[] = []
  const draw = () => update(board.render(stream.columns ?? 80, stream.rows ?? 24))
  const timer = setInterval(draw, frameInterval)
  const keep = (text: string) => {
    kept.push(text)
    if (kept.length > maxKept) kept.shift()
    update.clear()
    stream.write(`${text}\n`)
    draw()
  }
  // A resized terminal wraps the existing lines differently, so the number of lines to erase is unknown.
  const redraw = () => {
    update.clear()
    stream.write(`${clearWindow}${kept.map((text) => `${text}\n`).join('')}`)
    draw()
  }
  stream.on('resize', redraw)
  const stop = () => {
    stream.off('resize', redraw)
    clearInterval(timer)
    update.done()
  }
  return {
    event: (event: RunEvent) => {
      board.take(event)
      if (['note', 'watch', 'lost', 'outlier', 'membership', 'epoch', 'store', 'text'].includes(event.kind))
        keep(chalk.yellow(shownMessage(lineOf(event))))
      if (event.kind === 'browsers') keep(browsersText(event, stream.columns ?? 80))
      if (event.kind === 'neighbour' && event.state === 'refused') keep(chalk.red(shownMessage(lineOf(event))))
      if (event.kind === 'summary') {
        draw()
        stop()
        stream.write(`${summaryOf(shownMessage(lineOf(event)))}\n`)
      }
    },
    end: stop
  }
}

/** What {@link lineOf} says, and the first link for another device as a QR code, if the window has room for it. */
function browsersText(event: BrowsersEvent, columns: number): string {
  const text = chalk.yellow(shownMessage(lineOf(event)))
  const link = event.links?.[0]?.urls[1]
  const code = link === undefined ? undefined : qrText(link, columns)
  return code === undefined ? text : `${text}\n${onBlack(code)}`
}

const onBlack = (code: string): string =>
  code
    .split('\n')
    .map((line) => chalk.bgBlack.whiteBright(line))
    .join('\n')

function summaryOf(text: string): string {
  const [blank, first, ...rest] = text.split('\n')
  return [blank, chalk.bold(first), ...rest].join('\n')
}
