import type { SecureContextOptions, TLSSocket } from 'node:tls'

/** Bytes of a key. */
export const keyBytes = 32

/**
 * Only TLS 1.3 with AES-128-GCM. With a pre-shared key OpenSSL always exchanges ephemeral keys too (psk_dhe_ke, RFC
 * 8446 section 2.2): this gives forward secrecy. No certificate is trusted, and none is used.
 */
export const suite: SecureContextOptions = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
  ca: []
}

/** The idle time before a TCP keep-alive probe, in milliseconds. */
const keepAlive = 30_000

/** Sends small frames at once, and keeps middleboxes such as NATs from dropping the connection. */
export function tune(socket: TLSSocket): void {
  socket.setNoDelay()
  socket.setKeepAlive(true, keepAlive)
}
