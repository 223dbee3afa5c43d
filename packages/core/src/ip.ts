/** IP addresses as text, read without the system: a browser has no parser for them. */

/** An octet of an IPv4 address, and a group of an IPv6 address, as text. */
const octet = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/
const group = /^[\da-f]{1,4}$/i

/** The bytes of an IPv6 address. */
const ip6Bytes = 16

/** 4 or 6 for an IP address of this version, with or without a zone; 0 for any other text. */
export function isIP(text: string): 0 | 4 | 6 {
  const bytes = bytesOf(text)
  return bytes === undefined ? 0 : bytes.length === ip6Bytes ? 6 : 4
}

/** Whether a text is an IPv4 address. */
export function isIPv4(text: string): boolean {
  return octetsOf(text) !== undefined
}

/** Whether a text is an IPv4 address that is written as IPv6 (RFC 4291, 2.5.5.2). */
export function isMapped(text: string): boolean {
  const bytes = bytesOf(text)
  return bytes?.length === ip6Bytes && embedded(bytes) !== bytes
}

/**
 * Tells which addresses lie in one of these subnets, such as `10.0.0.0/8`. An IPv4 address that is written as IPv6 is
 * in the subnets of IPv4.
 */
export function subnets(...texts: readonly string[]): (address: string) => boolean {
  const nets = texts.map((text) => {
    const [net, bits] = text.split('/')
    return { bytes: bytesOf(net) ?? [], bits: Number(bits) }
  })
  return (address) => {
    const bytes = bytesOf(address)
    if (bytes === undefined) return false
    return [bytes, embedded(bytes)].some((each) => nets.some((net) => isWithin(each, net.bytes, net.bits)))
  }
}

function isWithin(address: readonly number[], net: readonly number[], bits: number): boolean {
  return (
    address.length === net.length &&
    address.every((byte, index) => {
      const shift = 8 - Math.min(8, Math.max(0, bits - 8 * index))
      return byte >> shift === net[index] >> shift
    })
  )
}

/** The IPv4 address within an IPv6 address; any other as it is. */
function embedded(bytes: readonly number[]): readonly number[] {
  const start = ip6Bytes - 4
  const isFour =
    bytes.length === ip6Bytes && bytes.slice(0, start).every((byte, index) => byte === (index < 10 ? 0 : 255))
  return isFour ? bytes.slice(start) : bytes
}

/** 4 or 16 bytes; `undefined` for a text that is no IP address. */
function bytesOf(text: string): readonly number[] | undefined {
  return octetsOf(text) ?? bytesOfIp6(text)
}

function octetsOf(text: string): readonly number[] | undefined {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((each) => octet.test(each)) ? octets.map(Number) : undefined
}

/** RFC 4291, 2.2: one run of zero groups may be left out, and the last two groups may be written as IPv4. */
function bytesOfIp6(text: string): readonly number[] | undefined {
  const [, address = ''] = /^([^%]+)(?:%[\da-z.:-]+)?$/i.exec(text) ?? []
  const end = address.lastIndexOf(':') + 1
  const octets = end > 0 ? octetsOf(address.slice(end)) : undefined
  const halves = (octets === undefined ? address : `${address.slice(0, end)}${groupsOf(octets)}`).split('::')
  const [head, tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - tail.length
  const isWhole = halves.length === 1 ? missing === 0 : halves.length === 2 && missing > 0
  if (!isWhole || ![...head, ...tail].every((each) => group.test(each))) return undefined
  return [...head, ...Array<string>(missing).fill('0'), ...tail].flatMap((each) => {
    const number = Number.parseInt(each, 16)
    return [number >> 8, number & 255]
  })
}

/** Four octets as two groups. */
function groupsOf([first, second, third, fourth]: readonly number[]): string {
  return `${((first << 8) | second).toString(16)}:${((third << 8) | fourth).toString(16)}`
}
