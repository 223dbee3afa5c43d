// For single files, such as "npx ava packages/topology/dist/findings.test.js"; what "npm test" runs is in
// ava.gathered.config.js.
// ava reads its configuration from the default export.
export default {
  files: ['packages/*/dist/**/*.test.js', 'test/dist/**/*.test.js', '!test/dist/gathered/**'],
  // In a process each: node-datachannel ends one in which two threads load it.
  workerThreads: false,
  // Only what hangs goes without any result for so long, also on a busy machine; the tests' own limits name what is
  // missing.
  timeout: '15m'
}
