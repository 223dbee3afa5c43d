/** Commands for runs with peers that the topology file does not fully describe: seeds, invitations. */
import type { PeerName } from '@murmuration/core'
import { type Command, Option } from 'commander'
import { checkpointsOf } from './checkpoint-options.js'
import { stopOnSignal } from './ending.js'
import type { MeasureFlags } from './measure-command.js'
import { durationOf, nameOf, repeatable, watched } from './option-values.js'
import type { Output } from '@murmuration/experiment'
import { type PeerFlags, relayOf, requestOf, type RunFlags } from './run-flags.js'
import type { SeedFlags } from './seed-command.js'
import { outcomeOptions, placeOptions, trainingOptions } from './shared-options.js'

/** What these commands share with the others. */
export interface RunCommands {
  readonly print: (text: string) => void
  readonly outputOf: (flags: RunFlags) => Promise<Output>
}

interface GuestFlags extends RunFlags {
  readonly name: PeerName
  readonly key?: string
  readonly seed: readonly string[]
}

type JoinFlags = RunFlags & Omit<PeerFlags, 'as' | 'lan'>

/** Adds `seed`, `invite`, `join`, `revoke` and `measure`. They load their modules when they are called. */
export function addRunCommands(program: Command, { print, outputOf }: RunCommands): void {
  program
    .command('seed')
    .description('introduce peers to each other, for those whose topology file has no addresses; it has no model')
    .addOption(repeatable('--listen <address>', 'where it listens', '/ip4/0.0.0.0/tcp/4001'))
    .option('--relay', 'be a relay too, for peers that nobody can call')
    .option('--key <file>', 'the private key of the seed (default: in the home of murmur)')
    .option('--json', 'print one JSON object')
    .action(async (flags: SeedFlags) => {
      const { runSeed } = await import('./seed-command.js')
      const listen = flags.listen.length === 0 ? ['/ip4/0.0.0.0/tcp/4001'] : flags.listen
      await runSeed({ ...flags, listen }, print, stopOnSignal())
    })

  guestOptions(program.command('invite'))
    .description('print an invitation to a place of a topology file: one line, to be sent to whoever is to join')
    .addOption(
      new Option('--expires <time>', 'how long it can be used').argParser(durationOf).default(172_800_000, '48 h')
    )
    .action(async (topology: string, { expires, ...flags }: GuestFlags & { readonly expires: number }) => {
      const { invitationText } = await import('@murmuration/experiment/peers')
      print(await invitationText(requestOf(topology, flags), { ...guestOf(flags), expires }))
    })

  guestOptions(program.command('revoke'))
    .description('take back all invitations for a name, used or not, and tell the peers of the run')
    .action(async (topology: string, flags: GuestFlags) => {
      const { revokeInvitations } = await import('@murmuration/experiment/peers')
      const count = await revokeInvitations(requestOf(topology, flags), guestOf(flags), stopOnSignal())
      print(`revoked: ${count} ${count === 1 ? 'peer has' : 'peers have'} heard it, and tell the others`)
    })

  outcomeOptions(placeOptions(program.command('join')))
    .description("run this machine's peer of a run to which it is invited")
    .argument('<invitation>', 'the line that "murmur invite" has printed')
    .option('--data <path>', 'the data of this machine, in place of what the run says')
    .action((invitation: string, flags: JoinFlags) => join(invitation, flags, { print, outputOf }))

  placeOptions(program.command('measure'))
    .description(
      'measure the links from this machine’s peer to the others, which do the same meanwhile; trains nothing'
    )
    .argument('<topology>', 'the topology file of the run')
    .requiredOption('--as <name>', 'which peer of the topology this is', nameOf)
    .option('--lan', 'find others on the local network, and be found')
    .option('--save <file>', 'write the links there, as a links file (default: print them)')
    .action(async (topology: string, flags: MeasureFlags) => {
      const { runMeasure } = await import('./measure-command.js')
      await runMeasure(topology, flags, print, stopOnSignal())
    })
}

async function join(invitation: string, flags: JoinFlags, { print, outputOf }: RunCommands): Promise<void> {
  const signal = stopOnSignal()
  const checkpoints = checkpointsOf(flags)
  const watch = await watched(flags.watch)
  const output = await outputOf(flags)
  const emit: Output['event'] = (event) => output.event(event)
  let report: string | undefined
  const { acceptInvitation, runPeerCommand } = await import('@murmuration/experiment/peers')
  const { commandOf, recorded } = await import('./recorded-run.js')
  try {
    const { request, place } = await acceptInvitation(invitation, { ...flags, seeds: flags.seed, emit, signal })
    // An invitation is a secret that anyone can use once, so it must not be in results, which are passed on.
    const words = process.argv.slice(2).map((word) => (word === invitation ? 'INVITATION' : word))
    const recording = { request, out: flags.out, command: commandOf(words), peer: place.as, emit }
    const onReport = (path: string) => (report = path)
    const { wait, listen, save, upnp } = flags
    const relay = relayOf(flags)
    await recorded({ ...recording, onReport }, (told, directory) =>
      runPeerCommand(request, {
        ...{ ...place, relay, upnp, wait, listen, watch, checkpoints, directory, emit: told, signal },
        ...(save === undefined ? {} : { save })
      })
    )
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    output.end()
    if (report !== undefined && flags.json !== true) print(`report: ${report}`)
  }
}

function guestOptions(command: Command): Command {
  const described = command
    .argument('<topology>', 'the topology file of the run')
    .requiredOption('--name <name>', 'whose place it is', nameOf)
    .addOption(repeatable('--seed <address>', 'a seed or a peer of the run', 'the addresses of the file'))
    .option('--key <file>', 'the run key (default: in the home of murmur)')
  return trainingOptions(described)
}

const guestOf = ({ name, key, seed }: GuestFlags) => ({ name, key, seeds: seed })
