import { createHash } from 'node:crypto'
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { messageOf, type PeerName } from '@murmuration/core'
import { eventsFile, eventsFolder } from '@murmuration/results'
import type { RunEvent } from '../../events.js'
import type { Plan } from '../../training/plan.js'

/** Whose log it is, and where it goes. */
export interface EventLogOptions {
  /** The folder of results, in which logs have one of their own. */
  readonly directory: string
  readonly self: PeerName
  readonly plan: Pick<Plan, 'settings'>
  readonly emit: (event: RunEvent) => void
  /** Milliseconds of a clock that only goes forward; the fabric's. */
  readonly now: () => number
  /** Bytes of a file after which the next begins. */
  readonly partBytes?: number
}

/** A file of the log, and so many of them are kept: 4 MiB of each process. */
const defaultPartBytes = 2 ** 20
const keptParts = 4

/** What waits to be written when the disk is slow; more is dropped, and counted. */
const maxWaiting = 2 ** 20

/** How long lines may wait before they are written. */
const interval = 500

/**
 * The event log of one peer's process: what it computed, waited for, sent and took, and what people are told, a line of JSON each, with both clocks. It is divided into files, of which the oldest
 * are removed. Nothing waits for it: when it cannot be written, that is said once, training goes on, and the next line that can be written says how many are missing. Nothing is written of a peer that computes nothing.
 */
export class EventLog {
  readonly #options: EventLogOptions
  readonly #run: string
  readonly #timer: NodeJS.Timeout
  #lines: string[] = []
  #waiting = 0
  #dropped = 0
  #part = 0
  #partBytes = 0
  /** Whether the file under way has its first line. */
  #hasHead = false
  #isActive = false
  #hasFailed = false
  #isOver = false
  #writes: Promise<void> = Promise.resolve()
  #isWriting = false

  constructor(options: EventLogOptions) {
    this.#options = options
    this.#run = createHash('sha256').update(JSON.stringify(options.plan.settings)).digest('hex')
    this.#timer = setInterval(() => this.#write(), interval)
    this.#timer.unref()
  }

  /** What people are told, but for where the run is watched: that address has a token in it, and logs are passed on. */
  event(event: RunEvent): void {
    if (event.kind !== 'watch') this.#add(event)
  }

  /** The peer computed, or waited, since `start`. */
  span(what: string, start: number): void {
    this.#isActive = true
    this.#add({ kind: 'span', what, start: rounded(start) })
  }

  /** A vector was handed over. */
  sent(to: PeerName, id: string, bytes: number): void {
    this.#add({ kind: 'sent', to, id, bytes })
  }

  /** A vector was taken. */
  taken(from: PeerName, id: string): void {
    this.#add({ kind: 'taken', from, id })
  }

  /** Writes the last line and all that waits. */
  async end(error?: unknown): Promise<void> {
    if (this.#isOver) return
    this.#add({ kind: 'end', ...(error === undefined ? {} : { reason: messageOf(error) }) })
    this.#isOver = true
    clearInterval(this.#timer)
    await this.#writes
    this.#write()
    await this.#writes
  }

  #add(fields: object): void {
    if (this.#isOver) return
    const line = this.#line(fields)
    if (this.#waiting + line.length > maxWaiting) {
      this.#dropped++
      return
    }
    this.#lines.push(line)
    this.#waiting += line.length
  }

  #line(fields: object): string {
    return `${JSON.stringify({ t: rounded(this.#options.now()), at: new Date().toISOString(), ...fields })}\n`
  }

  /** Begins to write what waits, unless that goes on already. */
  #write(): void {
    if (!this.#isActive || this.#isWriting || this.#lines.length === 0) return
    const lines = this.#lines
    this.#lines = []
    this.#waiting = 0
    this.#isWriting = true
    this.#writes = this.#append(lines).finally(() => (this.#isWriting = false))
  }

  async #append(lines: readonly string[]): Promise<void> {
    const missing = this.#dropped
    try {
      const head = await this.#beginning(lines[0])
      // After a failure the file may end within a line.
      const before = this.#hasFailed ? '\n' : ''
      const note = missing === 0 ? '' : this.#line({ kind: 'dropped', lines: missing })
      const text = `${before}${head}${note}${lines.join('')}`
      await appendFile(this.#path(this.#part), text)
      this.#partBytes += Buffer.byteLength(text)
      this.#hasHead = true
      this.#dropped -= missing
      this.#hasFailed = false
    } catch (error) {
      this.#dropped += lines.length
      if (!this.#hasFailed)
        this.#options.emit({
          kind: 'note',
          text: `the event log of ${this.#options.self} cannot be written: ${messageOf(error)}; training goes on, and it tries again`
        })
      this.#hasFailed = true
    }
  }

  /** The first line of a file that is to begin, of the time of the `next`; nothing where there is one with room that has it. */
  async #beginning(next: string): Promise<string> {
    const { self, directory, partBytes = defaultPartBytes } = this.#options
    if (this.#hasHead && this.#partBytes < partBytes) return ''
    if (this.#part === 0) await mkdir(join(directory, eventsFolder), { recursive: true })
    if (this.#part === 0 || this.#hasHead) {
      if (this.#part >= keptParts) await rm(this.#path(this.#part + 1 - keptParts), { force: true })
      this.#part++
      this.#partBytes = 0
      this.#hasHead = false
    }
    const { t, at } = JSON.parse(next) as { readonly t: number; readonly at: string }
    return this.#line({
      t,
      at,
      kind: 'log',
      peer: self,
      run: this.#run,
      pid: process.pid,
      machine: hostname(),
      part: this.#part
    })
  }

  #path(part: number): string {
    return join(this.#options.directory, eventsFolder, eventsFile(this.#options.self, part))
  }
}

/** Microseconds are enough. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
