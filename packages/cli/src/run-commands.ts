/** Who takes part in a run whose file does not say it all: seeds, invitations. */
import type { PeerName } from '@murmuration/core'
import type { Command } from 'commander'
import { stopOnSignal } from './ending.js'
import { durationOf, gathered, nameOf, watched } from './option-values.js'
import type { Output } from '@murmuration/experiment'
import { requestOf, type RunFlags } from './run-flags.js'
import type { SeedFlags } from './seed-command.js'

/** What the commands share with the others. */
export interface RunCommands {
  readonly print: (text: string) => void
  readonly trainingOptions: (command: Command) => Command
  readonly outputOf: (flags: RunFlags) => Promise<Output>
}

interface GuestFlags extends RunFlags {
  readonly name: PeerName
  readonly key?: string
  readonly seed: readonly string[]
}

interface JoinFlags extends RunFlags {
  readonly key?: string
  readonly seed: readonly string[]
  readonly wait: number
}

/** Adds `seed`, `invite`, `join` and `revoke`. What they run is loaded when they are called. */
export function addRunCommands(program: Command, { print, trainingOptions, outputOf }: RunCommands): void {
  program
    .command('seed')
    .description('introduce peers to each other, for those whose topology file has no addresses; it has no model')
    .option('--listen <address>', 'where, again for each (default: /ip4/0.0.0.0/tcp/4001)', gathered, [])
    .option('--key <file>', 'the private key of the seed (default: in the home of murmur)')
    .option('--json', 'print one JSON object')
    .action(async (flags: SeedFlags) => {
      const { runSeed } = await import('./seed-command.js')
      const listen = flags.listen.length === 0 ? ['/ip4/0.0.0.0/tcp/4001'] : flags.listen
      await runSeed({ ...flags, listen }, print, stopOnSignal())
    })

  guestOptions(program.command('invite'), trainingOptions)
    .description('print an invitation to a place of a topology file: one line, to be sent to whoever is to join')
    .option('--expires <time>', 'until when it has to be used', durationOf, 2 * 86_400_000)
    .action(async (topology: string, { expires, ...flags }: GuestFlags & { readonly expires: number }) => {
      const { invitationText } = await import('@murmuration/experiment/peers')
      print(await invitationText(requestOf(topology, flags), { ...guestOf(flags), expires }))
    })

  guestOptions(program.command('revoke'), trainingOptions)
    .description('take back all invitations for a name, used or not, and tell the peers of the run')
    .action(async (topology: string, flags: GuestFlags) => {
      const { revokeInvitations } = await import('@murmuration/experiment/peers')
      const count = await revokeInvitations(requestOf(topology, flags), guestOf(flags), stopOnSignal())
      print(`revoked: ${count} ${count === 1 ? 'peer has' : 'peers have'} heard it, and tell the others`)
    })

  program
    .command('join')
    .description("run this machine's peer of a run to which it is invited")
    .argument('<invitation>', 'the line that "murmur invite" has printed')
    .option('--data <path>', 'the data of this machine, in place of what the run says')
    .option('--key <file>', 'the private key of this peer (default: one for the invitation, in the home of murmur)')
    .option(
      '--seed <address>',
      'another way to find the run than those of the invitation, again for each',
      gathered,
      []
    )
    .option('--wait <time>', 'how long to look for the run, and to wait in it', durationOf, 86_400_000)
    .option('--save <file>', 'write the model to a file in the safetensors format')
    .option('--watch [address]', 'serve a page that shows the run: a port, or ADDRESS:PORT')
    .option('--json', 'print one JSON object per line')
    .action((invitation: string, flags: JoinFlags) => join(invitation, flags, outputOf))
}

async function join(invitation: string, flags: JoinFlags, outputOf: RunCommands['outputOf']): Promise<void> {
  const { seed: seeds, data, key, wait, save } = flags
  const signal = stopOnSignal()
  const output = await outputOf(flags)
  const { joinRun } = await import('@murmuration/experiment/peers')
  const emit: Output['event'] = (event) => output.event(event)
  try {
    const watch = await watched(flags.watch)
    await joinRun(invitation, {
      ...{ seeds, data, key, wait, watch, emit, signal },
      ...(save === undefined ? {} : { save })
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    output.end()
  }
}

function guestOptions(command: Command, trainingOptions: RunCommands['trainingOptions']): Command {
  const described = command
    .argument('<topology>', 'the topology file of the run')
    .requiredOption('--name <name>', 'whose place it is', nameOf)
    .option(
      '--seed <address>',
      'a seed or a peer of the run, again for each (default: the addresses of the file)',
      gathered,
      []
    )
    .option('--key <file>', 'the run key (default: in the home of murmur)')
  return trainingOptions(described)
}

const guestOf = ({ name, key, seed }: GuestFlags) => ({ name, key, seeds: seed })
