import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, type PeerName } from '@murmuration/core'
import { homeDirectory } from '@murmuration/data'
import { type Certificate, certificateSchema } from '@murmuration/libp2p'
import { z } from 'zod'
import type { RunEvent } from '../../events.js'

const schema = z.array(certificateSchema)

/** Who was let into a run and put out of it, in this user's home: a peer that starts again knows it still. */
export class CertificateStore {
  readonly #path: string
  readonly #emit: (event: RunEvent) => void
  #writes: Promise<void> = Promise.resolve()

  constructor(runKey: string, self: PeerName, emit: (event: RunEvent) => void) {
    this.#path = join(runFolder(runKey), `${self}.json`)
    this.#emit = emit
  }

  /** What was written; nothing where there is no file, or it holds something else. */
  async read(): Promise<readonly Certificate[]> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#path, 'utf8')))
    } catch {
      return []
    }
  }

  /** Writes one after the other; the file is whole or as it was. A failure is a note. */
  write(certificates: readonly Certificate[]): void {
    this.#writes = this.#writes
      .then(async () => {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
        await writeFile(`${this.#path}.part`, JSON.stringify(certificates))
        await rename(`${this.#path}.part`, this.#path)
      })
      .catch((error: unknown) => this.#emit({ kind: 'note', text: `who was let in is not saved: ${messageOf(error)}` }))
  }
}

/** Where this user keeps what it knows of a run. */
export function runFolder(runKey: string): string {
  return join(homeDirectory(), 'runs', runKey)
}
