import { peerName } from '@murmuration/core'
import test from 'ava'
import type { ChildReport } from './messages.js'
import { type Evidence, verdictOf } from './verdict.js'

const counts = { received: 20, retransmissions: 1, duplicates: 0, badFrames: 0 }
const good: ChildReport = { rounds: 10, ...counts, reconnections: 2, longest: 1500, peak: 3e8 }

function evidence(changes: Partial<ChildReport> = {}): Evidence {
  const reports = [good, { ...good, ...changes }]
  const peers = ['a', 'b'].map(peerName)
  return { peers, reports, memory: [[], []], faults: { cut: 3 }, rounds: 10, vectorBytes: 5e7 }
}

test('a soak in which all was well is summed up', (t) => {
  t.deepEqual(verdictOf(evidence({ longest: 2500 })), {
    rounds: 10,
    versions: 40,
    faults: { cut: 3 },
    reconnections: 4,
    retransmissions: 2,
    duplicates: 0,
    longest: 2.5,
    samples: 0,
    peak: 300
  })
})

test('wrong rounds, frames and memory are reported, with the peer', (t) => {
  const error = t.throws(() => verdictOf(evidence({ rounds: 9, received: 19, badFrames: 1, peak: 2e9 })))
  t.deepEqual(error.message.split('\n'), [
    'b: it completed 9 rounds of 10',
    'b: it received 19 versions, 20 are due',
    'b: 1 versions that it received were bad',
    'b: it had 2000.0 MB in memory, 935.5 MB allowed'
  ])
  const leak = Array.from({ length: 8 }, (_, place) => {
    const rss = 1e8
    const arrayBuffers = place * 1e9
    return { rss, heapUsed: 0, external: 0, arrayBuffers }
  })
  t.throws(() => verdictOf({ ...evidence(), memory: [[], leak] }), { message: /^b: arrayBuffers grew from 3000.0 MB/ })
})
