import { peerName } from '@murmuration/core'
import test from 'ava'
import { type LinkReport, maxReportLength, type PeerReport, readReport, reportNote } from './report.js'

const [a, b] = ['a', 'b'].map(peerName)
const peers = new Set(['a', 'b'])

const report: PeerReport = {
  ...{ phase: 'training', state: 'healthy', round: 7, life: 1, samples: 224, seconds: 1.5 },
  ...{ loss: 0.25, accuracy: 0.5, consensusDistance: 0.125, bytesSent: 10_000_001, bytesReceived: 3 },
  ...{ working: 0.5, waiting: 0, sending: 1, links: [[b, 'ready', 1000, 2000, 0.5]] }
}

test('a report arrives as it was told; what is not known is not there', (t) => {
  t.deepEqual(readReport(reportNote(report), peers), report)
  const { loss, accuracy, state, ...rest } = report
  t.deepEqual(readReport(reportNote({ ...rest, loss: undefined, links: [[b, 'left', 0, 0, null]] }), peers), {
    ...rest,
    links: [[b, 'left', 0, 0, null]]
  })
  t.truthy([loss, accuracy, state])
})

test('a report is never longer than its bound: links that find no room are left out', (t) => {
  const links = Array.from({ length: 250 }, (_, place): LinkReport => [
    peerName(`${'n'.repeat(60)}${place}`),
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

test('what is no report is its sender’s fault, in words', (t) => {
  const told = (changes: object) => readReport(`report ${JSON.stringify({ ...report, ...changes })}`, peers)
  t.regex(String(readReport(`report ${'x'.repeat(maxReportLength)}`, peers)), /^a report of 4507 characters/)
  t.regex(String(readReport('report {', peers)), /^a malformed report/)
  t.regex(String(told({ phase: '<script>' })), /^a malformed report/)
  t.regex(String(told({ state: 'fine' })), /^a malformed report/)
  t.regex(String(told({ round: -1 })), /^a malformed report/)
  t.regex(String(told({ loss: null })), /^a malformed report/)
  t.regex(String(told({ working: 2 })), /^a malformed report/)
  t.regex(String(told({ more: 1 })), /^a malformed report/)
  t.regex(String(told({ links: [['c', 'ready', 0, 0, null]] })), /^a report of a link to "c"/)
  t.deepEqual(told({ links: [[a, 'ready', 0, 0, null]] }), { ...report, links: [[a, 'ready', 0, 0, null]] })
})
