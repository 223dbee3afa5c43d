/**
 * How fast peers exchange vectors, next to other ways to do it. See README.md beside this file for how to read it.
 *
 *     node bench/main.mjs [--quick] [--only NAME,...] [--sizes 1,10,100,500] [--repeats 5] [--json FILE]
 *     node bench/main.mjs --against COMMIT [--only NAME,...] [--pairs 7] [--cache FOLDER] [--json FILE]
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { guard } from './guard/main.mjs'
import { statement as gloo } from './kinds/gloo.mjs'
import { statement as hivemind } from './kinds/hivemind.mjs'
import { kinds, references } from './kinds/index.mjs'
import { findPython } from './kinds/python.mjs'
import { machine, save } from './machine.mjs'
import { compute } from './suites/compute.mjs'
import { exchange } from './suites/exchange.mjs'
import { latency } from './suites/latency.mjs'
import { memory } from './suites/memory.mjs'
import { ringOfFour, starOfEight } from './suites/neighbours.mjs'
import { simulators } from './suites/simulators.mjs'

const suites = { exchange, ring: ringOfFour, star: starOfEight, latency, memory, compute, simulators }

const say = (line) => process.stderr.write(`${line}\n`)
const print = (text) => process.stdout.write(`${text}\n`)

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      sizes: { type: 'string' },
      repeats: { type: 'string' },
      json: { type: 'string', default: fileURLToPath(new URL('./results/latest.json', import.meta.url)) }
    }
  })
  const { quick, json } = values
  const only = values.only.split(',').filter((name) => name !== '')
  const unknown = only.find((name) => !(name in suites) && !(name in kinds))
  if (unknown !== undefined) {
    throw new Error(`"${unknown}" is neither a table (${Object.keys(suites)}) nor a kind (${Object.keys(kinds)})`)
  }
  const repeats = Number(values.repeats ?? (quick ? 3 : 5))
  if (!(Number.isInteger(repeats) && repeats > 0)) throw new Error(`${values.repeats} repeats cannot be; give 1, 2, …`)
  const sizes = (values.sizes ?? (quick ? '1,10' : '1,10,100,500')).split(',').map(Number)
  if (!sizes.every((size) => size > 0)) throw new Error(`${values.sizes} are no sizes; give megabytes such as 1,10`)
  return { quick, only, repeats, json, sizes }
}

/** The kinds of a table that are asked for; the references always, since all else is measured against them. */
function kindsOf(suite, only, missing) {
  const asked = only.filter((name) => name in kinds)
  const wanted = (name) => asked.length === 0 || asked.includes(name) || Object.values(references).includes(name)
  return suite.kinds.filter((name) => wanted(name) && !missing.includes(name))
}

/** What a Python has to be able to do, for the kinds whose names begin so. */
const ofPython = { gloo, hivemind }

/** The kinds that cannot run here. */
async function missingKinds(only) {
  const missing = []
  for (const [first, statement] of Object.entries(ofPython)) {
    const those = Object.keys(kinds).filter((name) => name.startsWith(first))
    const asked = only.length === 0 || only.includes('exchange') || those.some((name) => only.includes(name))
    if (!asked || (await findPython(statement)) !== undefined) continue
    say(`${those.join(', ')}: left out, there is no Python that can do: ${statement}`)
    missing.push(...those)
  }
  return missing
}

function show({ title, head, cells }, rows) {
  print(`\n${title}`)
  if (cells === undefined) {
    for (const { name, text, results } of rows) print(text ?? `${name}: ${JSON.stringify(results, undefined, 1)}`)
    return
  }
  const table = new Table({ head, style: { head: [] }, colAligns: head.map((_, k) => (k === 0 ? 'left' : 'right')) })
  for (const row of rows) table.push(cells(row))
  print(table.toString())
}

async function main(args) {
  const options = optionsOf(args)
  const report = { began: new Date().toISOString(), machine: machine(), options, tables: {} }
  const { processors, model, node, load } = report.machine
  print(
    `${processors} × ${model}, Node.js ${node}, load ${load.toFixed(1)}; median (least..most) of ${options.repeats} turns`
  )
  const missing = await missingKinds(options.only)
  const askedSuites = options.only.filter((name) => name in suites)
  for (const [name, suite] of Object.entries(suites)) {
    if (askedSuites.length > 0 && !askedSuites.includes(name)) continue
    const rows = await suite.run({ ...options, kinds: kindsOf(suite, options.only, missing), say })
    if (rows.length > 0) show(suite, rows)
    report.tables[name] = rows
  }
  await save(report, options.json)
}

const args = process.argv.slice(2)
const compares = args.some((arg) => /^--against(=|$)/.test(arg))
await (compares ? guard(args) : main(args)).catch((error) => {
  say(error.message)
  process.exitCode = error.exitCode ?? 1
})
