import { availableParallelism } from 'node:os'

// These take longest; begun last, one of them would keep all but one core idle at the end.
const first = [
  'membership-processes',
  'processes',
  'checkpoint-processes',
  'algorithms-libp2p',
  'simulated-training',
  'results',
  'soak/soak',
  'examples',
  'sim',
  'regression',
  'hostile-neighbour',
  'swarms/drawn-swarms'
]
const turn = (file) => {
  const place = first.findIndex((name) => file.replaceAll('\\', '/').endsWith(`test/dist/${name}.test.js`))
  return place === -1 ? first.length : place
}

// ava reads its configuration from the default export.
export default {
  // Tests of processes wait much of their time.
  concurrency: availableParallelism() + 1,
  files: ['packages/*/dist/**/*.test.js', 'test/dist/**/*.test.js'],
  sortTestFiles: (left, right) => turn(left) - turn(right) || (left < right ? -1 : 1),
  // Only what hangs goes without any result for so long, also on a busy machine; the tests' own limits name what is missing.
  timeout: '15m'
}
