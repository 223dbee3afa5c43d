import { messageOf, type PeerName } from '@murmuration/core'
import { type Certificate, certificateSchema } from '@murmuration/libp2p'
import { type Folder, openFolder } from '@murmuration/platform'
import * as z from 'zod'
import type { RunEvent } from '../../base/events.js'

const schema = z.array(certificateSchema)

/** The admissions and revocations of a run, in a folder of this user, so that a restarted peer still knows them. */
export class CertificateStore {
  readonly #path: string
  readonly #name: string
  readonly #emit: (event: RunEvent) => void
  #folder: Promise<Folder> | undefined
  #writes: Promise<void> = Promise.resolve()

  /** @param path - of the folder */
  constructor(path: string, self: PeerName, emit: (event: RunEvent) => void) {
    this.#path = path
    this.#name = `${self}.json`
    this.#emit = emit
  }

  /** The saved certificates; empty if there is no valid file. */
  async read(): Promise<readonly Certificate[]> {
    try {
      const bytes = await (await this.#open()).read(this.#name)
      return bytes === undefined ? [] : schema.parse(JSON.parse(new TextDecoder().decode(bytes)))
    } catch {
      return []
    }
  }

  /** Writes certificates in sequence, each file atomically. A failure is reported as a note. */
  write(certificates: readonly Certificate[]): void {
    this.#writes = this.#writes
      .then(async () => {
        const folder = await this.#open()
        await folder.write(this.#name, new TextEncoder().encode(JSON.stringify(certificates)))
      })
      .catch((error: unknown) =>
        this.#emit({ kind: 'note', text: `the admissions of the run cannot be saved: ${messageOf(error)}` })
      )
  }

  #open(): Promise<Folder> {
    this.#folder ??= openFolder(this.#path)
    return this.#folder
  }
}
