/** A certificate that lives as long as a measurement: X.509 version 1, signed by its own key, for "localhost". */
import { Buffer } from 'node:buffer'
import { generateKeyPairSync, sign } from 'node:crypto'

/** A value of ASN.1 in DER: its tag, its length, its content. */
function der(tag, ...parts) {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts) => der(0x30, ...parts)
const time = (text) => der(0x17, Buffer.from(text))

/** 1.2.840.10045.4.3.2, ECDSA with SHA-256. */
const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))

/** 2.5.4.3, the common name. */
const commonName = der(0x06, Buffer.from('550403', 'hex'))

/** The key and the certificate, both as PEM. */
export function createCertificate() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('localhost')))))
  const serial = der(0x02, Buffer.from([1]))
  const validity = sequence(time('200101000000Z'), time('491231235959Z'))
  const body = sequence(
    serial,
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' })
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = sequence(body, ecdsaWithSha256, signature).toString('base64')
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g).join('\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert }
}
