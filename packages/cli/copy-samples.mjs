/**
 * Before packing: copies the samples and the schemas of the repository into the package. After packing, with
 * `--remove`: removes them.
 */
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [root, samples] = ['../../', './samples/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

rmSync(samples, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  for (const folder of ['topologies', 'sim', 'examples', 'docs/schemas']) {
    const filter = (path) => !/node_modules|\bdist\b|examples.embed/.test(path.slice(root.length))
    cpSync(root + folder, samples + folder, { recursive: true, filter })
  }
}
