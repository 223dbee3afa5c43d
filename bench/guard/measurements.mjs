/**
 * What is compared. A measurement has a command line, relative to a clone, and reads figures out of what it prints; all
 * figures are costs, so that less is better. Programs are the clone's own, since they go with its packages; their lines
 * look alike in all commits so far. A program that changes its lines changes its reader here.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const node = (...args) => [process.execPath, ...args]
const exchangeProgram = fileURLToPath(new URL('./exchange.mjs', import.meta.url))

/** A program of the clone, wherever it lies in that commit. */
function programOf(clone, ...paths) {
  const path = paths.find((path) => existsSync(join(clone, path)))
  if (path === undefined) throw new Error(`it has no ${paths[0]}`)
  return path
}

/** The numbers that the groups of a pattern find in a text. */
function numbersIn(text, pattern) {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`its output has nothing like ${pattern}`)
  return found.slice(1).map(Number)
}

const memoryOf = ({ memory }) => ({ 'memory, MiB': memory })

/** The simulator with so many peers and rounds, by the processor time of all threads and by the clock. */
export function simulator(peers, rounds) {
  const program = ['experiment', 'cli'].map((owner) => `packages/${owner}/bench/peer-rounds.mjs`)
  return {
    command: (clone) => node(programOf(clone, ...program), '--once', String(peers), String(rounds)),
    read: (run) => {
      const row = /([\d.]+) s\W+([\d.]+) s\W+(\d+)\W+([\d.]+) µs each\W+\d+ MB/
      const [setUp, , rate, processor] = numbersIn(run.stdout, row)
      return {
        'processor, µs per peer-round': processor,
        'time, µs per peer-round': 1e6 / rate,
        'set-up, s': setUp,
        ...memoryOf(run)
      }
    }
  }
}

/** Exchange and average of two peers. */
function exchange(megabytes) {
  return {
    command: (clone) => node(exchangeProgram, clone, String(megabytes)),
    read: (run) => {
      const { ms, processor, memory } = JSON.parse(run.stdout)
      return { 'processor, ms per round': processor, 'time, ms per round': ms, 'memory, MB beyond the start': memory }
    }
  }
}

const compute = {
  command: (clone) => node(programOf(clone, 'packages/tfjs/bench/compute.mjs')),
  read: (run) => {
    const lines = run.stdout.trim().split('\n')
    const costs = lines
      .map((line) => JSON.parse(line))
      .map(({ name, ms, gigaflops }) => {
        return ms === undefined ? [`${name}, ns per kFLOP`, 1000 / gigaflops] : [`${name}, processor ms`, ms]
      })
    return { ...Object.fromEntries(costs), ...memoryOf(run) }
  }
}

const regression = {
  command: (clone) => node('--expose-gc', programOf(clone, 'packages/tasks/bench/gradients.mjs')),
  read: (run) => {
    const each = (task) => 1e6 / numbersIn(run.stdout.replaceAll(',', ''), new RegExp(`^${task} +(\\d+) /s`, 'm'))[0]
    return {
      'logistic 57, µs': each('logistic 57 features'),
      'softmax 784 × 10, µs': each('softmax 784 × 10'),
      ...memoryOf(run)
    }
  }
}

const averaging = {
  command: (clone) => node(programOf(clone, 'packages/vectors/bench/averaging.mjs'), '3'),
  read: (run) => {
    const large = (line) => numbersIn(run.stdout, new RegExp(`^${line} +([\\d.]+)`, 'm'))[0]
    const small = (numbers) => numbersIn(run.stdout, new RegExp(`^ *${numbers} .*mean of 3 \\d+ (\\d+) (\\d+)`, 'm'))
    const [elsewhere, inPlace] = small(57)
    return {
      'mean of 3, 100 MB, ms': large('mean of 3, in place'),
      'distance, 100 MB, ms': large('distance, in place'),
      'mean of 3, 57 numbers, ns': inPlace,
      'the same elsewhere, ns': elsewhere,
      'processor, s': run.processor
    }
  }
}

const codecs = {
  command: (clone) => node(programOf(clone, 'packages/vectors/bench/codecs.mjs'), '3'),
  read: (run) => {
    const figures = ['float16', 'int8', 'delta-int8', 'top-k:0.01'].flatMap((codec) => {
      const [encode, decode] = numbersIn(run.stdout, new RegExp(`'${codec}' +│ [\\d.]+ +│ ([\\d.]+) +│ ([\\d.]+)`))
      return [
        [`${codec}, encode, ms`, 100 / encode],
        [`${codec}, decode, ms`, 100 / decode]
      ]
    })
    return { ...Object.fromEntries(figures), 'processor, s': run.processor }
  }
}

const start = {
  command: () => ['npm', 'start'],
  read: (run) => ({ 'processor, s': run.processor, 'time, s': run.seconds, ...memoryOf(run) })
}

/** By name. */
export const measurements = {
  'simulator-100': simulator(100, 1000),
  'simulator-10000': simulator(10_000, 10),
  'exchange-57': exchange((4 * 57) / 1e6),
  'exchange-1': exchange(1),
  'exchange-100': exchange(100),
  compute,
  regression,
  averaging,
  codecs,
  start
}

/** What a run of a measurement says, without colours. */
export const figuresOf = ({ read }, run) => read({ ...run, stdout: stripVTControlCharacters(run.stdout) })
