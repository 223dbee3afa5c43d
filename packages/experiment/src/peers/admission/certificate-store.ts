import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, type PeerName } from '@murmuration/core'
import { homeDirectory } from '@murmuration/data'
import { type Certificate, certificateSchema } from '@murmuration/libp2p'
import { z } from 'zod'
import type { RunEvent } from '../../base/events.js'

const schema = z.array(certificateSchema)

/** The admissions and revocations of a run, in this user's home, so that a restarted peer still knows them. */
export class CertificateStore {
  readonly #path: string
  readonly #emit: (event: RunEvent) => void
  #writes: Promise<void> = Promise.resolve()

  constructor(runKey: string, self: PeerName, emit: (event: RunEvent) => void) {
    this.#path = join(runFolder(runKey), `${self}.json`)
    this.#emit = emit
  }

  /** The saved certificates; empty if there is no valid file. */
  async read(): Promise<readonly Certificate[]> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#path, 'utf8')))
    } catch {
      return []
    }
  }

  /** Writes certificates in sequence, each file atomically. A failure is reported as a note. */
  write(certificates: readonly Certificate[]): void {
    this.#writes = this.#writes
      .then(async () => {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
        await writeFile(`${this.#path}.part`, JSON.stringify(certificates))
        await rename(`${this.#path}.part`, this.#path)
      })
      .catch((error: unknown) =>
        this.#emit({ kind: 'note', text: `the admissions of the run cannot be saved: ${messageOf(error)}` })
      )
  }
}

/** The folder for what this user knows of a run. */
export function runFolder(runKey: string): string {
  return join(homeDirectory(), 'runs', runKey)
}
