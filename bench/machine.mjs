/** Where figures come from, and where they go. */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname } from 'node:path'

/** What figures depend on besides the code. */
export const machine = () => ({
  processors: cpus().length,
  model: cpus()[0]?.model,
  memory: totalmem(),
  node: process.version,
  system: `${process.platform} ${process.arch}`,
  load: loadavg()[0]
})

/** Writes a report as JSON, with the folder that it lies in. */
export async function save(report, file) {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, undefined, 1)}\n`)
}
