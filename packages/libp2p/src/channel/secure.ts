import type { SecureContextOptions, TLSSocket } from 'node:tls'

/** The bytes of a key. */
export const keyBytes = 32

/**
 * TLS 1.3 and nothing before it, AES-128-GCM. With a pre-shared key OpenSSL always exchanges ephemeral keys too (psk_dhe_ke, RFC 8446 section
 * 2.2): who learns the key afterwards cannot read what was said. No certificate is trusted, and none is had.
 */
export const suite: SecureContextOptions = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
  ca: []
}

/** How long a socket says nothing before TCP asks whether the far side is there, in milliseconds. */
const keepAlive = 30_000

/** Small frames go out at once, and boxes in between do not forget the connection. */
export function tune(socket: TLSSocket): void {
  socket.setNoDelay()
  socket.setKeepAlive(true, keepAlive)
}
