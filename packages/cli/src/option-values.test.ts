import test from 'ava'
import { Command } from 'commander'
import { addresses, repeatable } from './option-values.js'

test('an option that may be repeated keeps all values in their order, and help says what holds without it', (t) => {
  const command = () => new Command().addOption(repeatable('--seed <address>', 'a seed', 'none'))
  t.deepEqual(command().parse(['--seed', 'b', '--seed', 'a'], { from: 'user' }).opts(), { seed: ['b', 'a'] })
  t.deepEqual(command().parse([], { from: 'user' }).opts(), { seed: [] })
  t.regex(command().helpInformation(), /--seed <address> +a seed; may be repeated \(default: none\)/)
})

test('an option with an address names what it expects', (t) => {
  const parse = (use: 'dial' | 'listen', text: string) =>
    new Command()
      .exitOverride()
      .configureOutput({ writeErr() {} })
      .addOption(addresses(use, '--at [address]', 'an address', 'none'))
      .parse(['--at', text], { from: 'user' })
      .opts()
  t.deepEqual(parse('listen', '/ip4/0.0.0.0/tcp/0'), { at: ['/ip4/0.0.0.0/tcp/0'] })
  t.throws(() => parse('dial', '/ip4/0.0.0.0/tcp/0'), { message: /expected an address of one machine/ })
  t.throws(() => parse('dial', '/ip4/10.0.0.1/udp/1/quic-v1'), { message: /expected a multiaddr of TCP/ })
})
