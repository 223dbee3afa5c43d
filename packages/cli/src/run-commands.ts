/** Commands for runs with peers that the topology file does not fully describe: seeds, invitations. */
import type { PeerName } from '@murmuration/core'
import { type Command, Option } from 'commander'
import { checkpointsOf } from './checkpoint-options.js'
import { stopOnSignal } from './ending.js'
import type { MeasureFlags } from './measure-command.js'
import { linkOf } from './browsers/link.js'
import { addresses, durationOf, nameOf, pageOf, watched } from './option-values.js'
import type { Output } from '@murmuration/experiment'
import type { PeerFlags, RunFlags } from './run-flags.js'
import type { SeedFlags } from './seed-command.js'
import { browsers, outcomeOptions, placeOptions, trainingOptions } from './shared-options.js'

/** What these commands share with the others. */
export interface RunCommands {
  readonly print: (text: string) => void
  readonly outputOf: (flags: RunFlags, isPeer: boolean) => Promise<Output>
}

interface GuestFlags extends RunFlags {
  readonly name: PeerName
  readonly key?: string
  readonly seed: readonly string[]
}

type InviteFlags = GuestFlags & { readonly expires: number; readonly page?: string }
type JoinFlags = RunFlags & Omit<PeerFlags, 'as' | 'lan'>

/** Adds `seed`, `invite`, `join`, `revoke` and `measure`. They load their modules when they are called. */
export function addRunCommands(program: Command, { print, outputOf }: RunCommands): void {
  program
    .command('seed')
    .description('introduce peers whose topology file has no addresses; a seed has no model and trains nothing')
    .addOption(addresses('listen', '--listen <address>', 'where the seed listens', '/ip4/0.0.0.0/tcp/4001'))
    .option('--relay', 'be a relay too, for peers to which no peer can connect')
    .option('--key <file>', 'the private key of the seed (default: in ~/.murmuration)')
    .option('--json', 'print one JSON object')
    .action(async (flags: SeedFlags) => {
      const { runSeed } = await import('./seed-command.js')
      const listen = flags.listen.length === 0 ? ['/ip4/0.0.0.0/tcp/4001'] : flags.listen
      await runSeed({ ...flags, listen }, print, stopOnSignal())
    })

  guestOptions(program.command('invite'))
    .description('print an invitation to a place of a topology file: one line, for the person that is invited')
    .addOption(
      new Option('--expires <time>', 'how long the invitation is valid')
        .argParser(durationOf)
        .default(172_800_000, '48 h')
    )
    .addOption(
      new Option(
        '--page <url>',
        'print a link to this page, for a browser: what "murmur peer --browsers" prints, or another copy of the page'
      ).argParser(pageOf)
    )
    .action(async (topology: string, { expires, page, ...flags }: InviteFlags) => {
      const { invitationText } = await import('@murmuration/experiment/peers')
      const { requestOf } = await import('./run-flags.js')
      const invitation = await invitationText(requestOf(topology, flags), { ...guestOf(flags), expires })
      print(page === undefined ? invitation : linkOf(page, invitation))
    })

  guestOptions(program.command('revoke'))
    .description('revoke all invitations for a name, used or not, and notify the peers of the run')
    .action(async (topology: string, flags: GuestFlags) => {
      const { revokeInvitations } = await import('@murmuration/experiment/peers')
      const { requestOf } = await import('./run-flags.js')
      const count = await revokeInvitations(requestOf(topology, flags), guestOf(flags), stopOnSignal())
      print(`revoked: notified ${count} ${count === 1 ? 'peer' : 'peers'}, which will notify the others`)
    })

  outcomeOptions(placeOptions(program.command('join')))
    .description("run this machine's peer of a run with an invitation")
    .argument('<invitation>', 'the line that "murmur invite" printed')
    .option('--data <path>', 'the data of this machine, in place of those that the run names')
    .addOption(browsers())
    .action((invitation: string, flags: JoinFlags) => join(invitation, flags, { print, outputOf }))

  placeOptions(program.command('measure'))
    .description(
      'measure the links from this machine’s peer to the others, while the command runs on their machines too; trains nothing'
    )
    .argument('<topology>', 'the topology file of the run')
    .requiredOption('--as <name>', 'which peer of the topology this is', nameOf)
    .option('--lan', 'find peers on the local network, and be found by them')
    .option('--save <file>', 'write the links to this file (default: print them)')
    .action(async (topology: string, flags: MeasureFlags) => {
      const { runMeasure } = await import('./measure-command.js')
      await runMeasure(topology, flags, print, stopOnSignal())
    })
}

async function join(invitation: string, flags: JoinFlags, { print, outputOf }: RunCommands): Promise<void> {
  const signal = stopOnSignal()
  const checkpoints = checkpointsOf(flags)
  const watch = await watched(flags.watch)
  const output = await outputOf(flags, true)
  const emit: Output['event'] = (event) => output.event(event)
  let report: string | undefined
  const { acceptInvitation, runPeerCommand } = await import('@murmuration/experiment/peers')
  const { commandOf, recorded } = await import('./recorded-run.js')
  const { relayOf, withPage } = await import('./run-flags.js')
  try {
    const { request, place } = await acceptInvitation(invitation, { ...flags, seeds: flags.seed, emit, signal })
    // An invitation is a secret that anyone can use once, so it must not be in results, which are passed on.
    const words = process.argv.slice(2).map((word) => (word === invitation ? 'INVITATION' : word))
    const recording = { request, out: flags.out, command: commandOf(words), peer: place.as, emit }
    const onReport = (path: string) => (report = path)
    const { wait, listen, save, upnp, browsers } = flags
    const relay = relayOf(flags)
    await recorded({ ...recording, onReport }, async (record, directory) =>
      runPeerCommand(request, {
        ...place,
        relay,
        upnp,
        browsers,
        wait,
        listen,
        watch,
        checkpoints,
        directory,
        emit: await withPage(record, { request, self: place.as, show: emit, flags }),
        signal,
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
    .requiredOption('--name <name>', 'the name of the place', nameOf)
    .addOption(addresses('dial', '--seed <address>', 'a seed or a peer of the run', 'the addresses of the file'))
    .option('--key <file>', 'the run key (default: in ~/.murmuration)')
  return trainingOptions(described)
}

const guestOf = ({ name, key, seed }: GuestFlags) => ({ name, key, seeds: seed })
