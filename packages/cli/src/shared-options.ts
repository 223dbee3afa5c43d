/** Options that several commands share. */
import { type Command, Option } from 'commander'
import { everyOf } from './checkpoint-options.js'
import { dataWords, taskWords } from './words.js'
import { addresses, durationOf } from './option-values.js'

/** The training of real peers, and its results: `swarm`, `peer`. */
export function runOptions(command: Command): Command {
  return outcomeOptions(trainingOptions(command.argument('<topology>', 'a topology file, or a sample such as ring-4')))
}

/** The training, except for the topology. */
export function trainingOptions(command: Command): Command {
  return command
    .option('--train <file>', 'a training file (default: a small network on generated digits)')
    .option(
      '--algorithm <name>',
      'an algorithm that "murmur algorithms" lists, or a module with one of your own, in place of the training file’s'
    )
    .option(
      '--task <kind>',
      `${taskWords.join(', ')}, or a module with a model of your own, in place of the training file’s`
    )
    .option(
      '--data <path>',
      `${dataWords.join(', ')}, or a folder, file or URL with data, in place of the training file’s`
    )
    .option(
      '--partition <how>',
      'equal, label, dirichlet:ALPHA, local or local:per-peer, in place of the training file’s'
    )
}

/** The start and the results of the training of real peers: `swarm`, `peer`, `join`. */
export function outcomeOptions(command: Command): Command {
  return command
    .option(
      '--init <model>',
      'start from a model that --save wrote, the same on all peers (default: drawn by the seed)'
    )
    .option('--save <file>', 'write the model to a file in the safetensors format')
    .option('--checkpoint <folder>', 'save each peer to this folder at intervals; --resume continues from there')
    .option('--every <interval>', 'the interval: a time, or a number such as "500 rounds" (default: 30 s)', everyOf)
    .option('--resume', 'continue from the newest checkpoints that all peers have')
    .option('--out <folder>', 'write the results to this folder, as "murmur sim" does: curve, report and tables')
    .option(
      '--watch [address]',
      'serve a page that shows the run: a port, or ADDRESS:PORT (default: any port, for this machine)'
    )
    .option('--json', 'print one JSON object per line')
}

/** Whether a peer listens for browsers: `peer`, `join`. */
export const browsers = () =>
  new Option('--browsers', 'let browsers connect to this peer, too: by WebRTC, and by WebSockets')

/** The address of a machine's peer, and how it finds others: `peer`, `join`. */
export function placeOptions(command: Command): Command {
  return command
    .option('--key <file>', 'the private key of this peer (default: in ~/.murmuration; see "murmur identity")')
    .addOption(addresses('listen', '--listen <address>', 'where this peer listens', 'the address in the topology file'))
    .addOption(
      addresses('dial', '--seed <address>', 'a peer that knows the addresses of the others, see "murmur seed"', 'none')
    )
    .addOption(
      addresses(
        'dial',
        '--via [relay]',
        'the address of a relay that makes this peer reachable, if no peer can connect to this machine',
        'none; without an address, the seeds'
      )
    )
    .option('--upnp', 'ask a router of the local network to forward this peer’s port')
    .option('--relay', 'be a relay for peers of the run to which no peer can connect')
    .option('--relay-vectors', 'send vectors through relays too, if the neighbour also allows it')
    .addOption(
      new Option('--wait <time>', 'how long to wait until the run begins, or until a pause ends')
        .argParser(durationOf)
        .default(86_400_000, '24 h')
    )
}
