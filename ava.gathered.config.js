import { availableParallelism } from 'node:os'

// These take longest, so they begin first: begun last, one of them would keep all but one core idle at the end.
const first = [
  'native',
  'test.processes.tab-trains',
  'test.processes.webgpu',
  'test.processes.tfjs-node',
  'test.processes.membership-processes',
  'test.processes.processes',
  'test.processes.checkpoint-processes',
  'packages.experiment.sim',
  'test.swarms',
  'test.algorithms-parity',
  'test.algorithms-libp2p',
  'test.hostile-members',
  'test.outliers',
  'packages.membership'
]
const turn = (file) => {
  const place = first.findIndex((name) => file.endsWith(`${name}.test.js`))
  return place === -1 ? first.length : place
}

/** What "npm test" and "npm run check" run: the files that test/gather.mjs writes. */
export default {
  files: ['test/dist/gathered/*.test.js'],
  // Tests of connections and of processes wait much of their time.
  concurrency: availableParallelism() + 1,
  sortTestFiles: (left, right) => turn(left) - turn(right) || (left < right ? -1 : 1),
  // node-datachannel ends a process in which two threads load it; processes take no more time.
  workerThreads: false,
  // Only what hangs goes without any result for so long, also on a busy machine; the tests' own limits name what is
  // missing.
  timeout: '15m'
}
