/** Gradients and matrix products on one thread: TensorFlow.js in WebAssembly as peers use it, and PyTorch, in turns. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findPython } from '../kinds/python.mjs'
import { spreadOf, written } from '../statistics.mjs'

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

export const compute = {
  title:
    'Gradients (ms of processor time, batch of 64 unless it says another; GPT: 8) and matrix products (GFLOP/s by processor time), one thread',
  kinds: [],
  head: ['', 'Murmuration', 'PyTorch', 'time × PyTorch'],
  cells: ({ name, own, torch, ratio }) => [name, written(own, 2), written(torch, 2), written(ratio, 2)],
  run: async ({ repeats, say }) => {
    const python = await findPython('import torch')
    if (python === undefined) say('PyTorch is left out: there is no Python with PyTorch')
    const turns = []
    for (let turn = 1; turn <= repeats; turn++) {
      say(`compute, turn ${turn} of ${repeats}`)
      const own = await figuresOf(process.execPath, [pathOf('../../packages/tfjs/bench/compute.mjs')])
      const torch = python === undefined ? new Map() : await figuresOf(python, [pathOf('./compute.py')])
      turns.push({ own, torch })
    }
    return [...turns[0].own.keys()].map((name) => rowOf(name, turns))
  }
}

async function figuresOf(program, args) {
  const { stdout } = await promisify(execFile)(program, args, { env: { ...process.env, OMP_NUM_THREADS: '1' } })
  const lines = stdout.trim().split('\n')
  return new Map(lines.map((line) => JSON.parse(line)).map((figure) => [figure.name, figure]))
}

function rowOf(name, turns) {
  const valueOf = (figure) => figure?.ms ?? figure?.gigaflops
  const ratios = turns.map(({ own, torch }) => {
    const ours = own.get(name)
    const theirs = torch.get(name)
    if (theirs === undefined) return undefined
    return ours.ms === undefined ? theirs.gigaflops / ours.gigaflops : ours.ms / theirs.ms
  })
  return {
    name,
    own: spreadOf(turns.map(({ own }) => valueOf(own.get(name)))),
    torch: spreadOf(turns.map(({ torch }) => valueOf(torch.get(name)))),
    ratio: spreadOf(ratios)
  }
}
