/** Gloo of PyTorch, as its point-to-point calls have it, in a process of Python beside each process of ours. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('./gloo.py', import.meta.url))

/** The first Python that has PyTorch with Gloo; `undefined` when there is none. */
export async function findPython() {
  for (const python of ['python3', '/usr/bin/python3']) {
    const question = 'import torch.distributed as d; assert d.is_gloo_available()'
    const found = await promisify(execFile)(python, ['-c', question]).then(
      () => true,
      () => false
    )
    if (found) return python
  }
  return undefined
}

export async function open({ self, neighbours: [neighbour], elements, options, publish, lookup }) {
  if (self === 0) {
    const python = await findPython()
    if (python === undefined) throw new Error('no Python with PyTorch')
    publish('gloo', { python, port: await freePort() })
  }
  const { python, port } = await lookup('gloo')
  const settings = [self, neighbour, port, elements, options.threads].map(String)
  const child = spawn(python, [program, ...settings], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the process of Python has ended')
    return JSON.parse(value)
  }
  await answer()
  let last
  return {
    exchangeMany: async (_round, rounds) => {
      child.stdin.write(`${rounds}\n`)
      last = await answer()
    },
    /** What the process of Python has used, in place of ours: milliseconds of the processor, bytes of memory. */
    usage: () => last,
    close: async () => {
      child.stdin.end()
      await once(child, 'exit')
    }
  }
}

async function freePort() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address()
  server.close()
  return port
}
