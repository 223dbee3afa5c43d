import test from 'ava'
import { Command } from 'commander'
import { repeatable } from './option-values.js'

test('an option that may be repeated keeps all values in their order, and help says what holds without it', (t) => {
  const command = () => new Command().addOption(repeatable('--seed <address>', 'a seed', 'none'))
  t.deepEqual(command().parse(['--seed', 'b', '--seed', 'a'], { from: 'user' }).opts(), { seed: ['b', 'a'] })
  t.deepEqual(command().parse([], { from: 'user' }).opts(), { seed: [] })
  t.regex(command().helpInformation(), /--seed <address> +a seed; may be repeated \(default: none\)/)
})
