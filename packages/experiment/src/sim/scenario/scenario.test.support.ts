import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scenario } from './scenario.js'
import { readScenario } from './file.js'

/** A file `s.yaml` with this text in a new folder. */
export async function fileOf(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-scenario-')), 's.yaml')
  await writeFile(path, text)
  return path
}

/** A scenario of a ring of three, a quadratic and D-PSGD; the given lines replace those of the same key. */
export function textOf(lines: Readonly<Record<string, string>> = {}): string {
  const all = {
    title: 'Three',
    topology: '{ graph: ring, peers: [a, b, c] }',
    task: 'quadratic',
    methods: '[{ algorithm: dpsgd }]',
    ...lines
  }
  return Object.entries(all)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
}

/** Reads the scenario of {@link textOf}. */
export async function scenarioOf(lines: Readonly<Record<string, string>> = {}): Promise<Scenario> {
  return readScenario(await fileOf(textOf(lines)))
}
