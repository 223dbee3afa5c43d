import { createHash } from 'node:crypto'
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { messageOf, type PeerName } from '@murmuration/core'
import { eventsFile, eventsFolder } from '@murmuration/results'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'

/** The peer of the log, and where it is written. */
export interface EventLogOptions {
  /** The folder of results; logs are in a subfolder. */
  readonly directory: string
  readonly self: PeerName
  readonly plan: Pick<RunPlan, 'settings'>
  readonly emit: (event: RunEvent) => void
  /** Milliseconds of a monotonic clock, which is the fabric's. */
  readonly now: () => number
  /** The size of a file at which the next begins, in bytes. */
  readonly partBytes?: number
}

/** The size of a file, and the number of files that are kept: 4 MiB for each process. */
const defaultPartBytes = 2 ** 20
const keptParts = 4

/** The maximum size of lines that wait while the disk is slow; further lines are dropped, and counted. */
const maxWaiting = 2 ** 20

/** How long lines may wait before they are written. */
const interval = 500

/**
 * The event log of one peer's process: what it computed, waited for, sent and took, and the events of the run, as lines
 * of JSON with both clocks. The log is divided into files, and the oldest are removed. Logging blocks nothing: if the
 * log cannot be written, one note says so, training continues, and the next line that can be written says how many are
 * missing. A peer that computes nothing has no log.
 */
export class EventLogWriter {
  readonly #options: EventLogOptions
  readonly #run: string
  readonly #timer: NodeJS.Timeout
  /** The incarnations of the neighbours, by name. */
  readonly #met = new Map<string, string>()
  #incarnation: string | undefined
  #lines: string[] = []
  #waiting = 0
  #dropped = 0
  #part = 0
  #partBytes = 0
  /** Whether the current file has its first line. */
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

  /** Sets the incarnation of this peer. With those of its neighbours, it tells which logs are of one run. */
  identify(incarnation: string): void {
    this.#incarnation = incarnation
  }

  /** Logs an event, except for the address of the watch page: it contains a token, and logs are passed on. */
  event(event: RunEvent): void {
    if (event.kind === 'neighbour' && event.incarnation !== undefined) this.#met.set(event.neighbour, event.incarnation)
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

  /** Writes the last line and all waiting lines. */
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

  /** Begins to write the waiting lines, unless a write is in progress. */
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
      const lineEnd = this.#hasFailed ? '\n' : ''
      const note = missing === 0 ? '' : this.#line({ kind: 'dropped', lines: missing })
      const text = `${lineEnd}${head}${note}${lines.join('')}`
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
          text: `the event log of ${this.#options.self} cannot be written: ${messageOf(error)}; training continues, and writing is tried again`
        })
      this.#hasFailed = true
    }
  }

  /**
   * The first line of a new file, with the time of the `next` line; empty if the current file has a first line and
   * room.
   */
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
      part: this.#part,
      ...(this.#incarnation === undefined ? {} : { incarnation: this.#incarnation, met: Object.fromEntries(this.#met) })
    })
  }

  #path(part: number): string {
    return join(this.#options.directory, eventsFolder, eventsFile(this.#options.self, part))
  }
}

/** Microseconds are precise enough. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
