// ava reads its configuration from the default export.
export default {
  files: ['packages/*/dist/**/*.test.js', 'test/dist/**/*.test.js'],
  timeout: '3m'
}
