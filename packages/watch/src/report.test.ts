import { peerName } from '@murmuration/core'
import test from 'ava'
import { type LinkReport, maxReportLength, type PeerReport, readReport, reportNote } from './report.js'

const [a, b] = ['a', 'b'].map(peerName)
const peers = new Set(['a', 'b'])

const report: PeerReport = {
  phase: 'training',
  state: 'healthy',
  round: 7,
  life: 1,
  samples: 224,
  seconds: 1.5,
  loss: 0.25,
  accuracy: 0.5,
  consensusDistance: 0.125,
  bytesSent: 10_000_001,
  bytesReceived: 3,
  working: 0.5,
  waiting: 0,
  sending: 1,
  links: [[b, 'ready', 1000, 2000, 0.5]]
}

test('a report arrives as it was sent; unknown values are absent', (t) => {
  t.deepEqual(readReport(reportNote(report), peers), report)
  const { loss, accuracy, state, ...rest } = report
  t.deepEqual(readReport(reportNote({ ...rest, loss: undefined, links: [[b, 'left', 0, 0, null]] }), peers), {
    ...rest,
    links: [[b, 'left', 0, 0, null]]
  })
  t.truthy([loss, accuracy, state])
})

test('a report is never longer than its limit: links that do not fit are left out', (t) => {
  const links = Array.from({ length: 250 }, (_, index): LinkReport => [
    peerName(`${'n'.repeat(60)}${index}`),
    'connecting',
    123_456_789,
    123_456_789,
    1234.567
  ])
  const note = reportNote({ ...report, links })
  t.true(note.length <= maxReportLength)
  const read = readReport(note, new Set(links.map(([to]) => to)))
  t.true(typeof read !== 'string' && read.links.length > 20 && read.links.length < 250)
})

test('a figure that is NaN or infinite is left out, and the report is no fault of its peer', (t) => {
  const note = reportNote({ ...report, loss: Number.POSITIVE_INFINITY, accuracy: Number.NaN })
  const { loss: _, accuracy: __, ...rest } = report
  t.deepEqual(readReport(note, peers), rest)
})

test('an invalid report is a fault of its sender, with a message', (t) => {
  const readWith = (changes: object) => readReport(`report ${JSON.stringify({ ...report, ...changes })}`, peers)
  t.regex(String(readReport(`report ${'x'.repeat(maxReportLength)}`, peers)), /^a report of 4507 characters/)
  t.regex(String(readReport('report {', peers)), /^a malformed report/)
  t.regex(String(readWith({ phase: '<script>' })), /^a malformed report/)
  t.regex(String(readWith({ state: 'fine' })), /^a malformed report/)
  t.regex(String(readWith({ round: -1 })), /^a malformed report/)
  t.regex(String(readWith({ loss: null })), /^a malformed report/)
  t.regex(String(readWith({ working: 2 })), /^a malformed report/)
  t.regex(String(readWith({ more: 1 })), /^a malformed report/)
  t.regex(String(readWith({ links: [['c', 'ready', 0, 0, null]] })), /^a report of a link to "c"/)
  t.deepEqual(readWith({ links: [[a, 'ready', 0, 0, null]] }), { ...report, links: [[a, 'ready', 0, 0, null]] })
})
