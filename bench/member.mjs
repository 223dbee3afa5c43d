/**
 * One process of a team. Obeys the messages of harness.mjs: opens a kind, exchanges as many rounds as it is told,
 * closes. Not to be started by hand.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { kinds } from './kinds/index.mjs'
import { createAllocator, fillVector } from './vectors.mjs'

const published = new Map()
const awaited = new Map()
let closing = false
let session
let memoryBefore = 0

const say = (message) => process.send(message)

function fail(error) {
  if (closing) process.exit(0)
  say({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
process.on('disconnect', () => process.exit(0))

/** What all processes of a team may tell each other before the exchange begins, such as addresses. */
const board = {
  publish: (name, value) => say({ publish: { name, value } }),
  lookup: (name) =>
    published.has(name) ? Promise.resolve(published.get(name)) : new Promise((resolve) => awaited.set(name, resolve))
}

async function start({ kind, self, neighbours, elements, echo }) {
  const { module, options } = kinds[kind]
  const { open } = await import(module)
  memoryBefore = process.memoryUsage.rss()
  const take = createAllocator(elements)
  const fill = (vector) => fillVector(self, vector)
  session = await open({ self, neighbours, elements, echo, options, take, fill, ...board })
  say({ ready: { hasEcho: session.echo !== undefined } })
}

let round = 0

async function exchange(rounds) {
  if (session.exchangeMany !== undefined) return session.exchangeMany(round, rounds)
  for (let k = 0; k < rounds; k++) await session.exchange(round + k)
}

/** Exchanges; measures processor time and memory of this process, unless the kind computes in another one. */
async function run({ rounds }) {
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  await exchange(rounds)
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpuBefore)
  round += rounds
  const own = { cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS * 1024 - memoryBefore }
  say({ done: { ms, ...own, ...session.usage?.() } })
}

/** Exchanges, and process 0 sends an echo of `bytes` bytes every `interval` ms meanwhile. */
async function runWithEchoes({ rounds, bytes, interval }) {
  const payload = new Uint8Array(bytes).fill(7)
  const began = performance.now()
  let over = false
  const bulk = exchange(rounds).finally(() => (over = true))
  const echoes = []
  while (!over && session.asks) {
    const asked = performance.now()
    await session.echo(payload)
    echoes.push(performance.now() - asked)
    await sleep(Math.max(0, interval - (performance.now() - asked)))
  }
  await bulk
  round += rounds
  say({ done: { ms: performance.now() - began, cpu: 0, memory: 0, echoes } })
}

async function close() {
  closing = true
  await Promise.race([session?.close(), sleep(6000)])
  process.exit(0)
}

const commands = {
  start,
  run,
  runWithEchoes,
  close,
  published: ({ name, value }) => {
    published.set(name, value)
    awaited.get(name)?.(value)
  }
}

process.on('message', (message) => {
  const [[name, argument]] = Object.entries(message)
  Promise.resolve(commands[name](argument)).catch(fail)
})
