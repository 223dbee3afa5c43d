/** Averaging and codecs against memcpy, as the programs of the package vectors print them. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const programs = ['averaging', 'codecs']

export const memory = {
  title: 'Averaging and codecs against memcpy',
  kinds: [],
  run: async ({ only, quick, repeats, say }) => {
    if (quick && !only.includes('memory')) {
      say('averaging and codecs are left out; ask for them with --only memory')
      return []
    }
    const rows = []
    for (const name of programs) {
      const path = fileURLToPath(new URL(`../../packages/vectors/bench/${name}.mjs`, import.meta.url))
      if (!existsSync(path)) {
        say(`${name} is left out: there is no packages/vectors/bench/${name}.mjs`)
        continue
      }
      say(name)
      const flags = readFileSync(path, 'utf8').includes('--json') ? ['--json'] : []
      const { stdout } = await promisify(execFile)(process.execPath, [path, String(repeats), ...flags])
      rows.push({ name, ...(flags.length > 0 ? { results: parsed(stdout) } : { text: stdout }) })
    }
    return rows
  }
}

/** One value of JSON, or one per line. */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
      .split('\n')
      .filter((line) => /^[[{]/.test(line))
      .map((line) => JSON.parse(line))
  }
}
