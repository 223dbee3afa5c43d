import type { TLSSocket } from 'node:tls'
import { frameHeaderLength, maxNumbers } from '@murmuration/wire'
import { copyBytes } from '#platform/vectors/copy-bytes.js'
import type { FrameOutput } from '../../vectors/frame-output.js'

/** The longest header with the numbers that follow it. */
const maxHeader = frameHeaderLength + 8 * maxNumbers

/**
 * Bodies up to this length are copied behind their header: one record of TLS, which holds 16 KiB, costs less than two.
 */
const shortBody = (16 << 10) - maxHeader

/**
 * A data channel. TLS encrypts the bytes before `send` resolves. So memory for one frame is enough, and a codec writes
 * straight into that memory.
 */
export class ChannelOutput implements FrameOutput {
  readonly #socket: TLSSocket
  /** A header, which ends at {@link maxHeader}, then its body. */
  #staging = new Uint8Array(maxHeader + shortBody)
  #isUsed = false

  constructor(socket: TLSSocket) {
    this.#socket = socket
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Whether a vector was sent over it. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  begin(): void {
    this.#isUsed = true
  }

  room(bytes: number): Uint8Array {
    const length = maxHeader + bytes
    if (this.#staging.byteLength < length) this.#staging = new Uint8Array(length)
    return this.#staging.subarray(maxHeader, length)
  }

  async send(header: Uint8Array, body: Uint8Array): Promise<void> {
    if (body.buffer !== this.#staging.buffer) {
      if (body.byteLength > shortBody) return this.#sendInTwo(header, body)
      copyBytes(this.room(body.byteLength), body)
    }
    const start = maxHeader - header.byteLength
    this.#staging.set(header, start)
    await this.#write(this.#staging.subarray(start, maxHeader + body.byteLength))
  }

  /** Sends a long body of raw numbers without copying it. */
  async #sendInTwo(header: Uint8Array, body: Uint8Array): Promise<void> {
    void this.#write(header).catch(() => {})
    await this.#write(body)
  }

  /** Resolves when the system has taken the bytes. Rejects when the socket is closed. */
  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => {
        if (error) reject(new Error('the data channel was closed'))
        else resolve()
      })
    })
  }
}
