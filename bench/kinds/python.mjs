/**
 * A process of Python beside each process of ours: it is told numbers of rounds, line by line, and answers with what
 * they took.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The first Python for which the statement holds; `undefined` when there is none. */
export async function findPython(statement) {
  for (const python of ['python3', '/usr/bin/python3']) {
    const found = await promisify(execFile)(python, ['-c', statement]).then(
      () => true,
      () => false
    )
    if (found) return python
  }
  return undefined
}

/**
 * A session of a program of Python beside this file, which all processes start with the same Python and the same free
 * port.
 *
 * @param name - of the program, without its ending
 * @param statement - what a Python must be able to execute
 * @param rest - further arguments of the program
 */
export async function openPython({ self, neighbours: [neighbour], elements, publish, lookup }, name, statement, rest) {
  if (self === 0) {
    const python = await findPython(statement)
    if (python === undefined) throw new Error(`no Python can do: ${statement}`)
    publish(name, { python, port: await freePort() })
  }
  const { python, port } = await lookup(name)
  const settings = [self, neighbour, port, elements, ...rest].map(String)
  const program = fileURLToPath(new URL(`./${name}.py`, import.meta.url))
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
