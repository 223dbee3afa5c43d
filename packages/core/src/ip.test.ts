import { BlockList, isIP as isIPOfNode, isIPv4 as isIPv4OfNode } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import { isIP, isIPv4, isMapped, subnets } from './ip.js'

const octet = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 9, 10, 99, 100, 127, 199, 249, 255))
const ip4 = fc.array(octet, { minLength: 4, maxLength: 4 }).map((octets) => octets.join('.'))
const word = fc.oneof(
  fc.constantFrom(0, 0, 0, 1, 0xffff, 0xfe80, 0xfd00, 0x64, 0xff9b, 0x2001, 0xdb8),
  fc.integer({ min: 0, max: 0xffff })
)
const groups = (count: number) =>
  fc.array(
    word.chain((value) => fc.constantFrom(...spellings(value))),
    { minLength: count, maxLength: count }
  )
const spellings = (value: number) => [value.toString(16), value.toString(16).padStart(4, '0').toUpperCase()]

/** IPv6 as RFC 4291, 2.2, lets one write it: whole, with `::` at any place, with IPv4 at its end. */
const ip6 = fc
  .record({
    words: groups(8),
    from: fc.integer({ min: 0, max: 8 }),
    to: fc.integer({ min: 0, max: 8 }),
    last: fc.option(ip4),
    zone: fc.option(fc.constantFrom('eth0', '1', 'en-0.1'), { freq: 8 })
  })
  .map(({ words, from, to, last, zone }) => {
    const all = last === null ? words : [...words.slice(0, 6), last]
    const text = to > from ? `${all.slice(0, from).join(':')}::${all.slice(to).join(':')}` : all.join(':')
    return zone === null ? text : `${text}%${zone}`
  })
const mapped = fc
  .tuple(fc.constantFrom('::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '::0:ffff:', '::'), ip4)
  .map(([start, address]) => start + address)

/** One character more, less, or other. */
const damaged = fc
  .record({
    text: fc.oneof(ip4, ip6, mapped),
    at: fc.nat(50),
    cut: fc.integer({ min: 0, max: 1 }),
    put: fc.constantFrom('', ':', '.', '0', 'f', 'g', ' ', '-', '256', '00', '::', '/', 'x')
  })
  .map(
    ({ text, at, cut, put }) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut)
  )
const any = fc.oneof(ip4, ip6, mapped, damaged, fc.string({ maxLength: 8 }))
const drawn = { numRuns: 4000, seed: 46 }

test('a text is the IP address that Node says it is', (t) => {
  let found = 0
  fc.assert(
    fc.property(any, (text) => {
      found += isIP(text) === 0 ? 0 : 1
      return isIP(text) === isIPOfNode(text) && isIPv4(text) === isIPv4OfNode(text)
    }),
    drawn
  )
  t.true(found > 1000 && found < 3800, `${found} addresses`)
  for (const text of [
    '',
    ':',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    '::1%',
    '%eth0',
    '1.2.3.4%eth0',
    '1.2.3',
    '01.2.3.4',
    '::1.2.3'
  ])
    t.is(isIP(text), 0, text)
})

test('an address is in the subnets in which Node’s list has it', (t) => {
  const bits = [0, 1, 7, 8, 9, 10, 12, 16, 24, 31, 32]
  const property = fc.property(
    fc.constantFrom('0.0.0.0', '10.0.0.0', '127.0.0.0', '100.64.0.0', '::', '::1', 'fe80::', 'fc00::', '64:ff9b::'),
    fc.constantFrom(...bits, 33, 64, 96, 127, 128),
    fc.oneof(ip4, ip6, mapped),
    (net, length, address) => {
      const family = isIPOfNode(net) === 4 ? 'ipv4' : 'ipv6'
      const prefix = Math.min(length, family === 'ipv4' ? 32 : 128)
      // Node's list takes addresses of IPv4 for ones of IPv6 too, which here no list asks for.
      if (isIPOfNode(address) !== 6 && family === 'ipv6') return !subnets(`${net}/${prefix}`)(address)
      if (isIPOfNode(address) === 0) return true
      const list = new BlockList()
      list.addSubnet(net, prefix, family)
      // Node's list takes no zone behind a long address.
      const [bare] = address.split('%')
      return subnets(`${net}/${prefix}`)(address) === list.check(bare, isIPOfNode(bare) === 4 ? 'ipv4' : 'ipv6')
    }
  )
  t.notThrows(() => fc.assert(property, drawn))
})

test('IPv4 written as IPv6 is known in each spelling', (t) => {
  for (const text of ['::ffff:10.0.0.1', '::FFFF:a00:1', '0:0:0:0:0:ffff:10.0.0.1', '::ffff:a00:1%eth0'])
    t.true(isMapped(text) && subnets('10.0.0.0/8')(text), text)
  for (const text of ['::10.0.0.1', '::1:ffff:a00:1', '10.0.0.1', 'ffff::10.0.0.1']) t.false(isMapped(text), text)
})
