// Records the signs of life that the failure detectors of four real peers receive, and reports whether a live peer was
// taken for dead:
//
//   node studies/detectors/record.mjs MINUTES FOLDER [BUSY LOOPS]
//
// Four processes train a softmax regression on a complete graph, two rounds per second. At the same time, the given
// number (default 4) of other processes only compute. Each sign appends a line "contact now awake" (milliseconds since
// the process started, and of its awake clock) to FOLDER/gaps-PEER.txt; table.mjs reads these files.
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const [minutes, given, loops = '4'] = process.argv.slice(2)
if (!(Number(minutes) > 0) || given === undefined) throw new Error('expected minutes and a new folder')
const folder = resolve(given)
const root = fileURLToPath(new URL('../..', import.meta.url))
const recorder = new URL('recorder.mjs', import.meta.url).href
const names = ['a', 'b', 'c', 'd']
const firstPort = 42_300

mkdirSync(folder)
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
writeFileSync(
  join(folder, 'paced.mjs'),
  `import { setTimeout } from 'node:timers/promises'
import { algorithms } from '@murmuration/algorithms'
const given = algorithms.find(({ name }) => name === 'dpsgd')
export const paced = {
  ...given,
  name: 'paced',
  round: async (node, state, k) => {
    await setTimeout(500)
    return given.round(node, state, k)
  }
}
`
)
const peers = names.map((name, place) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${firstPort + place}] }`)
writeFileSync(join(folder, 'topology.yaml'), `graph: complete\npeers:\n${peers.join('\n')}\n`)
writeFileSync(
  join(folder, 'training.yaml'),
  `task: softmax\ndata: { digits: 3000, size: 14 }\nbatch: 8\nrounds: 1000000\nalgorithm: { module: ./paced.mjs }\n`
)
const busy = Array.from({ length: Number(loops) }, () => spawn(process.execPath, ['-e', 'for (;;);']))
const output = (name) => join(folder, `${name}.jsonl`)
const processes = names.map((name) => {
  const file = openSync(output(name), 'w')
  const program = join(root, 'packages/cli/dist/main.js')
  const args = [
    '--import',
    recorder,
    program,
    'peer',
    'topology.yaml',
    '--as',
    name,
    '--train',
    'training.yaml',
    '--json'
  ]
  const env = { ...process.env, GAPS_FILE: join(folder, `gaps-${name}.txt`) }
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', file, file] })
})
const ended = processes.map(
  (child, place) => new Promise((done) => child.on('exit', (code) => done([names[place], code])))
)
const early = await Promise.race([setTimeout(Number(minutes) * 60_000), ...ended])
if (early !== undefined) console.log(`${early[0]} ended with code ${early[1]} before the time`)
for (const child of processes) child.kill('SIGINT')
await Promise.race([Promise.all(ended), setTimeout(60_000)])
for (const child of [...processes, ...busy]) child.kill('SIGKILL')
rmSync(join(folder, 'node_modules'))
for (const name of names) {
  const lines = readFileSync(output(name), 'utf8').split('\n')
  const told = lines.filter((line) => line.includes('"kind":"membership"')).map((line) => JSON.parse(line).text)
  console.log(
    `${name}: ${lines.filter((line) => line.includes('"kind":"step"')).length} rounds; of the others it told:`
  )
  for (const text of told) console.log(`  ${text}`)
}
