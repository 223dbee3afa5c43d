/** Addresses and ids of peers as people write them, in topology files and options. No schemas, and no libp2p. */
import { isIP, isIPv4, subnets } from '@murmuration/core/base'

/** What an address is for: others dial it, or a peer listens on it. */
export type AddressUse = 'dial' | 'listen'

/** The usual form of an address. */
const usual = 'a multiaddr of TCP such as /ip4/192.168.1.10/tcp/4001'

/** An address, in parts. */
interface AddressParts {
  readonly kind: string
  readonly host: string
  readonly transport: string
  readonly port: string
  /** What follows the port, or what browsers need after it. */
  readonly rest: readonly string[]
  /** What is wrong with the transport. */
  readonly transportProblem: string | undefined
}

/**
 * Why no peer can use an address: what is expected in its place; `undefined` if one can. Checks the text only, not
 * whether anything answers.
 *
 * @example
 * ```js
 * addressProblem('/ip4/10.0.0.1/tcp/04402', 'dial') // → 'the port without leading zeros, 4402'
 * ```
 */
export function addressProblem(text: string, use: AddressUse): string | undefined {
  const parts = partsOf(text, use)
  const { kind, host, port, rest } = parts
  const hostProblem = hostProblems[kind]
  if (!text.startsWith('/') || hostProblem === undefined) return usual
  return hostProblem(host, use) ?? parts.transportProblem ?? portProblem(port, use) ?? endProblem(rest, use)
}

/** The peer id that an address demands of the peer that answers, if it has one; not that of a relay on the way. */
export function idInAddress(text: string): string | undefined {
  const { rest } = partsOf(text)
  const own = rest.includes('p2p-circuit') ? rest.slice(rest.indexOf('p2p-circuit') + 1) : rest
  return own[0] === 'p2p' ? own[1] : undefined
}

/**
 * The same text for all spellings of a host and a port; `undefined` for an address through a relay, which many peers
 * may have.
 *
 * @param text - an address without problems
 */
export function placeInAddress(text: string): string | undefined {
  const { kind, host, transport, port, rest } = partsOf(text)
  if (rest.includes('p2p-circuit')) return undefined
  return `/${kind}/${kind === 'ip6' ? new URL(`tcp://[${host}]`).hostname : host.toLowerCase()}/${transport}/${port}`
}

/** Whether an address is on this machine. */
export function isLoopback(address: string): boolean {
  return /^\/ip4\/127\.|^\/ip6\/::1\/|^\/dns[46]?\/localhost\//.test(address)
}

/** Whether a text is a libp2p peer id in base58: the hash of a public key, or the key itself. */
export function isPeerId(text: string): boolean {
  if (!/^(12D3KooW|16Uiu2HA|Qm)[1-9A-HJ-NP-Za-km-z]{44,45}$/.test(text)) return false
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const value = [...text].reduce((sum, digit) => sum * 58n + BigInt(digits.indexOf(digit)), 0n)
  // The prefixes of the libp2p specification of peer ids: SHA-256 of a key; an Ed25519 key; a secp256k1 key.
  if (value >> 256n === 0x12_20n || value >> 256n === 0x24_08_01_12_20n) return true
  return value >> 264n === 0x25_08_02_12_21n && isPoint(BigInt.asUintN(264, value))
}

/** Whether a number is the compressed form of a point of secp256k1. */
function isPoint(key: bigint): boolean {
  const x = BigInt.asUintN(256, key)
  const sign = key >> 256n
  return (sign === 2n || sign === 3n) && x < secp256k1 && isSquare(x * x * x + 7n)
}

/** The prime of secp256k1, whose points are y² = x³ + 7 (SEC 2, 2.4.1). */
const secp256k1 = (1n << 256n) - (1n << 32n) - 977n

/** Euler's criterion, modulo the prime of secp256k1. */
function isSquare(number: bigint): boolean {
  let power = 1n
  for (let base = number % secp256k1, left = (secp256k1 - 1n) / 2n; left > 0n; left >>= 1n) {
    if (left & 1n) power = (power * base) % secp256k1
    base = (base * base) % secp256k1
  }
  return power <= 1n
}

function partsOf(text: string, use: AddressUse = 'dial'): AddressParts {
  const [, kind = '', host = '', transport = '', port = '', ...end] = text.split('/')
  const parts = { kind, host, transport, port, transportProblem: undefined }
  if (transport === 'tcp') return { ...parts, rest: end[0] === 'ws' ? end.slice(1) : end }
  if (transport !== 'udp') return { ...parts, rest: end, transportProblem: usual }
  const [direct, name, hash, ...rest] = end
  if (direct === 'webrtc-direct' && use === 'listen') return { ...parts, rest: end.slice(1) }
  if (direct === 'webrtc-direct' && name === 'certhash' && isCertificateHash(hash)) return { ...parts, rest }
  const expected =
    direct === 'webrtc-direct'
      ? 'the hash of the certificate after /webrtc-direct, /certhash/uEi…, as the peer prints it'
      : `${usual}: peers do not use UDP (QUIC, WebTransport), except for WebRTC: /udp/4001/webrtc-direct`
  return { ...parts, rest, transportProblem: expected }
}

/** Whether a text is a SHA-256 as a multihash in base64url. */
const isCertificateHash = (text = '') => /^uEi[A-D][\w-]{42}[AQgw]$/.test(text)

const isUnusable = subnets('224.0.0.0/4', '255.255.255.255/32', 'ff00::/8')
const isLinkLocal = subnets('fe80::/10')

const zoned =
  'an address without a zone: a link-local address of IPv6 is valid only with the name of a network interface of one ' +
  'machine; use another one, or --lan and no address'

/** The problem of a host, by its kind. */
const hostProblems: Readonly<Record<string, (host: string, use: AddressUse) => string | undefined>> = {
  ip4: (host, use) => {
    if (!isIPv4(host)) return usual
    return isUnusable(host) || (use === 'dial' && host === '0.0.0.0') ? oneMachine(use) : undefined
  },
  ip6: (host, use) => {
    if (isIP(host) !== 6) return 'a multiaddr of TCP such as /ip6/2001:db8::10/tcp/4001'
    if (host.includes('%') || isLinkLocal(host)) return zoned
    const short = new URL(`tcp://[${host}]`).hostname
    if (short.startsWith('[::ffff:')) return 'an IPv4 address as /ip4'
    if (host.includes('.')) return `no dots: /ip6/${short.slice(1, -1)}`
    return isUnusable(host) || (use === 'dial' && short === '[::]') ? oneMachine(use) : undefined
  },
  ip6zone: () => zoned,
  dns: nameProblem,
  dns4: nameProblem,
  dns6: nameProblem
}

function oneMachine(use: AddressUse): string {
  return use === 'listen'
    ? 'an address of one machine'
    : 'an address of one machine, which others can call; an address to listen on stands under "listen"'
}

function nameProblem(host: string): string | undefined {
  const name = /^[\x21-\x7e]*$/.test(host) ? host : inAscii(host)
  const isName = /^([a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.(?=.)|\.?$))+$/i.test(name) && name.length <= 254
  return isName ? undefined : 'a host name, such as /dns4/example.org/tcp/4001'
}

/** A name with other letters as the DNS has it; empty where it cannot be written so. */
function inAscii(host: string): string {
  const url = `http://${host}`
  return /[/\\?#@:[\]%]/.test(host) || !URL.canParse(url) ? '' : new URL(url).hostname
}

function portProblem(port: string, use: AddressUse): string | undefined {
  const number = Number(port)
  if (!/^\d+$/.test(port) || number > 65535) return usual
  if (number === 0 && use === 'dial') return `${usual} with a port above 0`
  return String(number) === port ? undefined : `the port without leading zeros, ${number}`
}

/** The problem of what follows the port: nothing, the id of the peer, or the id of a relay and `p2p-circuit`. */
function endProblem([first, ...rest]: readonly string[], use: AddressUse): string | undefined {
  if (first === undefined) return undefined
  if (['ws', 'wss', 'tls', 'sni', 'http', 'https'].includes(first))
    return `no /${first}: peers use TCP without TLS in front, and browsers may use /ws after the port`
  if (first === 'p2p-circuit') return 'the id of the relay before /p2p-circuit: /p2p/12D3KooW…/p2p-circuit'
  if (first !== 'p2p') return `nothing after the port but /p2p/12D3KooW…, the id of the peer`
  const [id = '', circuit, ...end] = rest
  if (!isPeerId(id)) return 'a libp2p peer id after /p2p, such as 12D3KooW and 44 letters and digits'
  if (circuit === undefined) return undefined
  if (circuit !== 'p2p-circuit') return 'nothing after the id of the peer; or /p2p-circuit, if it is that of a relay'
  if (use === 'listen') return 'an address of this machine; --via names a relay'
  return end.length === 0 || (end.length === 2 && end[0] === 'p2p' && isPeerId(end[1]))
    ? undefined
    : 'nothing after /p2p-circuit but /p2p/12D3KooW…, the id of the peer'
}
