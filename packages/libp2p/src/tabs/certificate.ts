/**
 * The certificate of a listener for WebRTC. It follows from the peer's key, as in go-libp2p (pull request 3512), so
 * addresses stay valid when the peer starts again. Browsers check only its hash, which the address names; who the peer
 * is, noise proves.
 */
import { createHash, createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto'
import type { Identity } from '../base/identity.js'
import { textOf } from '#platform/libraries/base.js'
import { p256, type TransportCertificate } from '../libraries/webrtc.js'

/** The purpose of the derived key (RFC 5869, info): each change of the certificate's contents needs another one. */
const purpose = 'murmuration webrtc-direct certificate 1'

/** The certificate of the peer with this identity. The same identity has the same certificate, in each process. */
export function certificateOf({ privateKey }: Identity): TransportCertificate {
  const seed = new Uint8Array(hkdfSync('sha256', privateKey.raw, new Uint8Array(), purpose, 48))
  const secret = p256.utils.randomSecretKey(seed)
  const point = p256.getPublicKey(secret, false)
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), secret].map((part) => textOf(part, 'base64url'))
  const key = { kty: 'EC', crv: 'P-256', x, y }
  const subject = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  const contents = toBeSigned(subject)
  // Deterministic (RFC 6979), unlike Node's signatures.
  const signature = p256.sign(contents, secret, { format: 'der' })
  const certificate = sequence(contents, algorithm, der(0x03, Uint8Array.of(0), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    privateKey: createPrivateKey({ key: { ...key, d }, format: 'jwk' })
      .export({ type: 'pkcs8', format: 'pem' })
      .toString(),
    pem: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    // Multibase base64url of a multihash: SHA-256, 32 bytes.
    certhash: `u${Buffer.concat([Uint8Array.of(0x12, 0x20), sha256(certificate)]).toString('base64url')}`
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** A value of ASN.1 in DER (ITU-T X.690): tag, length, contents. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...size), body])
}

const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** ecdsa-with-SHA256 (RFC 5758). */
const algorithm = sequence(objectId('2a8648ce3d040302'))

/** The signed part of a certificate (RFC 5280, 4.1): version 3, serial number 1, and no end of its validity. */
function toBeSigned(subjectPublicKey: Uint8Array): Buffer {
  const commonName = sequence(objectId('550403'), der(0x0c, Buffer.from('murmuration')))
  const name = sequence(der(0x31, commonName))
  const validity = sequence(der(0x17, Buffer.from('250101000000Z')), der(0x18, Buffer.from('99991231235959Z')))
  const version = der(0xa0, der(0x02, Uint8Array.of(2)))
  return sequence(version, der(0x02, Uint8Array.of(1)), algorithm, name, validity, name, subjectPublicKey)
}
