/** Starts teams of processes and lets kinds take turns. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { clearTimeout } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A step of a team, from its start to a batch of rounds, may take so many milliseconds. */
const timeout = 60_000

/** A batch has as many rounds as take about so many milliseconds, and one at least. */
const batchTime = 300

/** So many milliseconds of rounds go before the first batch, after the very first round. */
const warmTime = 400

/** The processes that exchange by one kind. Rejects what fails with the first error of any of its processes. */
export class Team {
  #members = []
  #answers = []
  #failed

  /**
   * Starts the processes and waits until all are connected.
   *
   * @param shape - the neighbours of each process
   * @param echo - whether echoes are to be measured
   */
  static async open({ kind, shape, elements, echo = false }) {
    const team = new Team()
    for (let self = 0; self < shape.length; self++) team.#fork(self)
    try {
      const started = (self) => ({ start: { kind, self, neighbours: shape[self], elements, echo } })
      const ready = await team.#all('ready', started)
      team.hasEcho = ready.every(({ hasEcho }) => hasEcho)
    } catch (error) {
      team.kill()
      throw error
    }
    return team
  }

  #fork(self) {
    const member = fork(new URL('./member.mjs', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#members.push(member)
    member.on('message', (message) => {
      if (message.publish !== undefined) for (const other of this.#members) other.send({ published: message.publish })
      else if (message.failed !== undefined) this.#fail(new Error(message.failed))
      else this.#answers[self]?.resolve(message)
    })
    member.on('exit', (code) => this.#fail(new Error(`process ${self} ended with ${code}`)))
  }

  #fail(error) {
    this.#failed ??= error
    for (const { reject } of this.#answers) reject(error)
  }

  /** Tells all processes something at once, and gathers their answers of the name `expected`. */
  async #all(expected, commandOf) {
    if (this.#failed !== undefined) throw this.#failed
    const timer = setTimeout(() => this.#fail(new Error(`nothing came for ${timeout / 1000} s`)), timeout)
    const waiting = this.#members.map(
      (_, self) => new Promise((resolve, reject) => (this.#answers[self] = { resolve, reject }))
    )
    this.#members.forEach((member, self) => member.send(commandOf(self)))
    try {
      return (await Promise.all(waiting)).map((answer) => answer[expected])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Exchanges: wall time of the slowest in ms, processor time of all in ms, most memory of one beyond its start in
   * bytes.
   */
  async run(rounds) {
    return gather(rounds, await this.#all('done', () => ({ run: { rounds } })))
  }

  /** Exchanges while echoes of `bytes` bytes go to and fro every `interval` ms. */
  async runWithEchoes(rounds, bytes, interval) {
    const done = await this.#all('done', () => ({ runWithEchoes: { rounds, bytes, interval } }))
    return { ...gather(rounds, done), echoes: done.flatMap(({ echoes }) => echoes) }
  }

  /** Rounds until the code is warm; returns how many rounds fill a batch. */
  async warmUp() {
    const first = await this.run(1)
    if (first.ms > 1000) return 1
    const second = await this.run(Math.ceil(Math.min(200, warmTime / first.ms)))
    return Math.max(1, Math.round((batchTime * second.rounds) / second.ms))
  }

  async close() {
    const gone = this.#members.map((member) => member.exitCode ?? once(member, 'exit'))
    for (const member of this.#members) if (member.connected) member.send({ close: {} })
    await Promise.race([Promise.all(gone), sleep(8000)])
    this.kill()
  }

  kill() {
    for (const member of this.#members) member.kill('SIGKILL')
  }
}

function gather(rounds, done) {
  const most = (pick) => Math.max(...done.map(pick))
  const cpu = done.reduce((sum, { cpu }) => sum + cpu, 0)
  return { rounds, ms: most(({ ms }) => ms), cpu, memory: most(({ memory }) => memory) }
}

/**
 * Lets the kinds take turns, `repeats` times each. A kind that fails is told of and left out from then on.
 *
 * Every turn has processes of its own, because two processes that run the same program differ, by a third at times, in
 * ways that last as long as they do. The order shifts from turn to turn.
 *
 * @param keep - whether processes are kept from turn to turn all the same, which is quicker and rougher
 * @param measure - what to do with a warm team in its turn; gets the team and how many rounds fill a batch
 * @returns what `measure` gave, per kind and turn
 */
export async function takeTurns({ kinds, shape, elements, repeats, keep, echo, measure, say }) {
  const open = new Map()
  const results = new Map(kinds.map((kind) => [kind, []]))
  const enter = async (kind) => {
    if (open.has(kind)) return open.get(kind)
    const team = await Team.open({ kind, shape, elements, echo })
    open.set(kind, { team, rounds: undefined })
    open.get(kind).rounds = await team.warmUp()
    return open.get(kind)
  }
  const leave = async (kind) => {
    await open.get(kind)?.team.close()
    open.delete(kind)
  }
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const kind of shifted([...results.keys()], repeat)) {
      try {
        const { team, rounds } = await enter(kind)
        results.get(kind).push(await measure(team, rounds))
      } catch (error) {
        say(`${kind} is left out: ${error.message.split('\n', 1)[0]}`)
        results.delete(kind)
      }
      if (!keep || !results.has(kind)) await leave(kind)
    }
  }
  for (const kind of [...open.keys()]) await leave(kind)
  return results
}

const shifted = (list, by) => list.map((_, index) => list[(index + by) % list.length])
