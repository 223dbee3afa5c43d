/**
 * What a loss costs, as a program: `node test/dist/losses/main.js [ALGORITHM] [FAULT] [TIMES] [BUSY]`, with "all" for
 * every algorithm or fault. It runs each fault TIMES times (3) with real peers on this machine, beside BUSY (0) busy
 * loops, and prints a table of medians. What is not as expected goes to standard error.
 */
import { spawn } from 'node:child_process'
import { InputError, messageOf } from '@murmuration/core'
import { type MeasuredFault, faults, methods, shapeOf } from './faults.js'
import { aloneOf, lossAlone, type LossCost, measure } from './measure.js'
import type { LossMethod } from './run-files.js'
import { head, rowOf } from './table.js'

/** The one that has this name, or all. */
function chosen<T extends { readonly name: string }>(what: string, all: readonly T[], names: string): readonly T[] {
  const found = names === 'all' ? all : all.filter(({ name }) => names.split(',').includes(name))
  if (found.length > 0) return found
  throw new InputError(`found "${names}", expected all, or ${what}: ${all.map(({ name }) => name).join(', ')}`)
}

/** What those that finish would have reached alone, measured once. */
const known = new Map<string, Promise<number>>()

function aloneFor(method: LossMethod, fault: MeasuredFault): Promise<number> {
  const { workers, rounds } = shapeOf(fault)
  const key = [method.name, workers.length, rounds, ...aloneOf(fault)].join()
  const loss = known.get(key) ?? lossAlone(method, fault)
  known.set(key, loss)
  return loss
}

async function row(method: LossMethod, fault: MeasuredFault, times: number): Promise<void> {
  const alone = await aloneFor(method, fault)
  const all: LossCost[] = []
  for (let k = 0; k < times; k++) {
    const measured = await measure(method, fault, alone)
    for (const text of measured.wrong) process.stderr.write(`${method.name}, ${fault.name}: ${text}\n`)
    all.push(measured)
  }
  process.stdout.write(`${rowOf(method, fault, all, alone)}\n`)
}

try {
  const [algorithm = 'all', fault = 'all', times = '3', busy = '0'] = process.argv.slice(2)
  const loops = Array.from({ length: Number(busy) }, () => spawn(process.execPath, ['-e', 'for (;;);']))
  process.stdout.write(`${head}\n`)
  for (const method of chosen('an algorithm', methods, algorithm))
    for (const each of chosen('a fault', faults, fault))
      if (each.needsServer !== true || method.hasServer === true) await row(method, each, Number(times))
  for (const loop of loops) loop.kill()
} catch (error) {
  process.stderr.write(`losses: ${messageOf(error)}\n`)
  process.exitCode = 2
}
