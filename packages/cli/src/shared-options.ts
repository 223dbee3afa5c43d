/** Options that several commands share. */
import { type Command, Option } from 'commander'
import { everyOf } from './checkpoint-options.js'
import { dataWords, taskWords } from './init/tasks.js'
import { durationOf, repeatable } from './option-values.js'

/** The training of real peers, and its results: `swarm`, `peer`. */
export function runOptions(command: Command): Command {
  return outcomeOptions(trainingOptions(command.argument('<topology>', 'a topology file, or a sample such as ring-4')))
}

/** The training, except for the topology. */
export function trainingOptions(command: Command): Command {
  return command
    .option('--train <file>', 'a training file (default: a small network on drawn digits)')
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

/** The results of the training of real peers: `swarm`, `peer`, `join`. */
export function outcomeOptions(command: Command): Command {
  return command
    .option('--save <file>', 'write the model to a file in the safetensors format')
    .option('--checkpoint <folder>', 'save each peer there now and then, to go on from with --resume')
    .option('--every <interval>', 'how often: a time, or a number such as "500 rounds" (default: 30 s)', everyOf)
    .option('--resume', 'go on from the newest checkpoints that all peers have')
    .option('--out <folder>', 'write the results, as "murmur sim" does: curve, report and tables')
    .option(
      '--watch [address]',
      'serve a page that shows the run: a port, or ADDRESS:PORT (default: any port, for this machine)'
    )
    .option('--json', 'print one JSON object per line')
}

/** The address of a machine's peer, and how it finds others: `peer`, `join`. */
export function placeOptions(command: Command): Command {
  return command
    .option('--key <file>', 'the private key of this peer (default: in the home of murmur; see "murmur identity")')
    .addOption(repeatable('--listen <address>', 'where this peer listens', 'what the topology file says'))
    .addOption(repeatable('--seed <address>', 'a peer that knows where others are, see "murmur seed"', 'none'))
    .addOption(
      repeatable(
        '--via [relay]',
        'be reached through a relay, where nobody can call this machine: its address',
        'no relay; without an address, the seeds'
      )
    )
    .option('--upnp', 'have a router of the local network forward this peer’s port')
    .option('--relay', 'be a relay for peers of the run that nobody can call')
    .option('--relay-vectors', 'let vectors go through relays, where the neighbour allows it too')
    .addOption(
      new Option('--wait <time>', 'how long to wait for the run to begin, or in a pause to go on')
        .argParser(durationOf)
        .default(86_400_000, '24 h')
    )
}
