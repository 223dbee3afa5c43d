import type { PeerName } from '@murmuration/core'
import chalk from 'chalk'
import { Argument, Command, Option } from 'commander'
import { checkpointsOf } from './checkpoint-options.js'
import type { Output, RunEvent, RunRequest } from '@murmuration/experiment'
import type { AdviseFlags } from './advise-command.js'
import { type Shell, shells } from './completion/shells.js'
import { codeOf, exitCodeLines, stopOnSignal } from './ending.js'
import type { DoctorFlags } from './doctor-command.js'
import type { InitFlags } from './init/choices.js'
import { addModelCommands } from './model-commands.js'
import {
  addresses,
  countOf,
  bytesOf,
  durationOf,
  minFinishedOf,
  nameOf,
  partOf,
  positiveOf,
  repeatable,
  watched
} from './option-values.js'
import { addRunCommands } from './run-commands.js'
import type { PeerFlags, RunFlags } from './run-flags.js'
import { browsers, placeOptions, runOptions, trainingOptions } from './shared-options.js'
import type { SimRequest } from './sim/sim-command.js'
import type { SwarmOptions } from '@murmuration/experiment/peers'
import { version } from './version.js'
import { dataWords, graphWords, taskWords } from './words.js'

type SwarmFlags = Pick<SwarmOptions, 'baseline' | 'links' | 'minFinished'>
type SimFlags = Pick<SimRequest, 'out' | 'threads' | 'part' | 'calibrate'> & RunFlags

// Each command loads its own modules: loading libp2p and TensorFlow.js takes longer than most commands run.
const program = new Command('murmur')
  .description('SGD without a server: peers train on their own data and average with their neighbours.')
  .version(version)
  .exitOverride()
  .showSuggestionAfterError()
  .showHelpAfterError('"murmur --help" lists the commands, "murmur COMMAND --help" the options of a command')
  .addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`)

runOptions(program.command('swarm'))
  .description('run all peers of a topology on this machine, as real processes over real libp2p')
  .option('--no-baseline', 'do not run plain SGD on all the data afterwards, for comparison')
  .option('--method <label>', 'TOPOLOGY is a scenario: run this method of it, over links as slow as the scenario says')
  .option('--links <file>', 'make the connections as slow as the links in this file')
  .option('--min-finished <peers>', 'end with code 3 if fewer peers finish: a number, or a percentage', minFinishedOf)
  .action((topology: string, flags: RunFlags & SwarmFlags) =>
    run(topology, flags, async (request, emit, signal, directory) => {
      const { runSwarm } = await import('@murmuration/experiment/peers')
      const checkpoints = checkpointsOf(flags)
      return runSwarm(request, {
        ...flags,
        watch: await watched(flags.watch),
        checkpoints,
        directory,
        emit,
        signal,
        now: () => performance.now()
      })
    })
  )

placeOptions(runOptions(program.command('peer')))
  .description("run this machine's peer of a topology")
  .requiredOption('--as <name>', 'which peer of the topology this is', nameOf)
  .option('--lan', 'find peers on the local network, and be found by them')
  .addOption(browsers())
  .action((topology: string, flags: RunFlags & PeerFlags) =>
    run(topology, flags, async (request, record, signal, directory, show) => {
      const { runPeerCommand } = await import('@murmuration/experiment/peers')
      const { discoveryOf, relayOf, withPage } = await import('./run-flags.js')
      const emit = await withPage(record, { request, self: flags.as, show, flags })
      return runPeerCommand(request, {
        ...flags,
        discovery: discoveryOf(flags),
        relay: relayOf(flags),
        upnp: flags.upnp,
        watch: await watched(flags.watch),
        checkpoints: checkpointsOf(flags),
        directory,
        emit,
        signal
      })
    })
  )

addRunCommands(program, { print, outputOf })

trainingOptions(program.command('sim'))
  .description(
    'simulate the runs of a scenario in virtual time, and write a report that compares them; or simulate what "murmur swarm" would run'
  )
  .argument(
    '[scenario]',
    'a scenario file, or a sample such as slow-links; with --train a topology file',
    'sim/slow-links.yaml'
  )
  .option('--out <folder>', 'the folder for the results (default: a new folder in results)')
  .option('--threads <number>', 'how many threads to simulate on (default: one per core)', countOf)
  .option(
    '--part <k/n>',
    'run only part K of N, to divide a sweep among N jobs; "murmur report" joins the parts',
    partOf
  )
  .option('--calibrate', 'measure the time of computing on this machine, in place of the time that the scenario gives')
  .option('--json', 'print one JSON object per line')
  .action(async (path: string, { json, ...flags }: SimFlags) => {
    const { simulated } = await import('./run-flags.js')
    await simulate({ ...simulated(path, flags), ...flags }, json === true)
  })

program
  .command('advise')
  .description('find a plan for the links of a topology: simulate many, and report which reaches the same loss first')
  .argument('<topology>', 'a topology file; its links apply where --links has none')
  .option('--train <file>', 'a training file (default: a small network on generated digits)')
  .addOption(
    repeatable(
      '--links <file>',
      'a links file, such as "murmur measure" writes, or a folder of them; overrides the links of the topology',
      'none'
    )
  )
  .option(
    '--computing <yaml>',
    'the time of computing, as in a scenario: "{ perSample: 1 ms, slow: { b: 4 } }" (default: measured on this machine)'
  )
  .option(
    '--loss <number>',
    'the loss to reach (default: the loss at which plain SGD has made 95 % of its progress)',
    positiveOf
  )
  .addOption(new Option('--budget <time>', 'how long to simulate').argParser(durationOf).default(120_000, '2 min'))
  .option('--threads <number>', 'how many threads to simulate on (default: one per core)', countOf)
  .option('--out <folder>', 'write a topology file and a training file with the best plan to this folder')
  .option('--json', 'print one JSON object per line')
  .action(async (topology: string, flags: AdviseFlags) => {
    const stop = stopOnSignal()
    const { runAdvise } = await import('./advise-command.js')
    await runAdvise(topology, flags, print, stop)
  })

program
  .command('init')
  .description('write a first topology file and training file; on a terminal, without options, it asks questions')
  .argument('[folder]', 'the folder; created if it does not exist', '.')
  .option(
    '--peers <number or names>',
    'the number of peers on this machine, or the names of machines with one peer each: alice,bob,carol'
  )
  .addOption(new Option('--graph <kind>', 'which peers average with each other').choices(graphWords))
  .option('--task <kind>', `${taskWords.join(', ')}, or a module with a model of your own`)
  .option('--data <path>', `${dataWords.join(', ')}, or a folder or file with data`)
  .option('--partition <how>', 'how the data are divided among the peers: equal, label or dirichlet:ALPHA')
  .option('--algorithm <name>', 'an algorithm that "murmur algorithms" lists, or a module with one of your own')
  .option('--yes', 'ask no questions; without other options: 4 peers on a ring, mlp on digits, dpsgd')
  .action(async (folder: string, flags: InitFlags) => {
    const { runInit } = await import('./init/init-command.js')
    print(await runInit(folder, flags, { input: process.stdin, output: process.stdout }))
  })

program
  .command('report')
  .description(
    'write the report of a folder again; of several folders: one report that compares them, or that of the whole sweep if they are its parts'
  )
  .argument('<folders...>', 'folders written by "murmur sim", "swarm --out" or "peer --out"')
  .option('--out <folder>', 'the folder for the report of several folders (default: a new folder in results)')
  .action(async (folders: readonly string[], flags: { readonly out?: string }) => {
    const { reportOn } = await import('./report-command.js')
    print(await reportOn(folders, flags, (text) => void process.stderr.write(`${text}\n`)))
  })

addModelCommands(program, print)

program
  .command('topology')
  .description('print neighbours, weights, spectral gap and problems of a topology')
  .argument('<topology>', 'a topology file, or a sample such as ring-4')
  .option(
    '--bytes <size>',
    'the size of the model for which collectives are compared (default: 4 KiB, 256 KiB, 16 MiB)',
    bytesOf
  )
  .option('--json', 'print one JSON object')
  .action(async (path: string, { json, bytes }: { readonly json?: boolean; readonly bytes?: number }) => {
    const { readTopologyFile } = await import('@murmuration/files')
    const { fileOrSample } = await import('./samples.js')
    const { topologyReport, topologyReportJson } = await import('./topology-report.js')
    const file = await readTopologyFile(fileOrSample(path, 'topologies'))
    print(json ? JSON.stringify(topologyReportJson(file, bytes)) : topologyReport(file, bytes))
  })

program
  .command('algorithms')
  .description('list the algorithms: where each is published, what it needs and keeps, and its options')
  .option('--json', 'print one JSON object per line')
  .action(async ({ json }: { readonly json?: boolean }) => {
    const { algorithmsLines, algorithmsText } = await import('./algorithms-command.js')
    print(json ? algorithmsLines() : algorithmsText())
  })

program
  .command('doctor')
  .description("check this machine, and a peer's place in a topology; report problems and how to fix them")
  .argument('[topology]', 'a topology file, with --as')
  .option('--as <name>', 'which peer of the topology runs here', nameOf)
  .option('--key <file>', 'the private key of this peer; see "murmur identity"')
  .addOption(addresses('dial', '--seed <address>', 'a seed of the run', 'none'))
  .addOption(addresses('dial', '--via <address>', 'a relay through which others reach this peer', 'none'))
  .option('--upnp', 'ask a router to forward this peer’s port, and check that it does')
  .option('--out <folder>', 'the folder for results and checkpoints (default: the current folder)')
  .option('--time-server <host>', 'the server to compare the clock with (default: pool.ntp.org)')
  .option('--json', 'print one JSON object per line')
  .action(async (topology: string | undefined, flags: DoctorFlags) => {
    const { runDoctor } = await import('./doctor-command.js')
    process.exitCode = await runDoctor(topology, flags, print)
  })

program
  .command('identity')
  .description("create this machine's key for a peer, once, and print the peer's id")
  .argument('<name>', 'the name of the peer', nameOf)
  .option('--key <file>', 'the file for the key (default: in ~/.murmuration)')
  .option('--json', 'print one JSON object')
  .action(async (name: PeerName, { key, json }: { readonly key?: string; readonly json?: boolean }) => {
    const { identityOf, identityText } = await import('./identity-command.js')
    const report = await identityOf(name, key)
    print(json ? JSON.stringify(report) : identityText(report))
  })

program
  .command('checksum')
  .description('print the SHA-256 of a folder or a file with data, as training files have it')
  .argument('<path>', 'a folder or a file with data')
  .action(async (path: string) => {
    const { checksumText } = await import('./checksum-command.js')
    print(await checksumText(path))
  })

program
  .command('completion')
  .description('print a script with which a shell completes commands, options, names and files')
  .addArgument(new Argument('<shell>', 'the shell').choices(shells))
  .action(async (shell: Shell) => {
    const { completionScript } = await import('./completion/completion-command.js')
    print(completionScript(shell, program))
  })

/** Runs real peers, all of a topology or one (`as`), and writes the results to `--out`. */
async function run(
  topology: string,
  flags: RunFlags & { readonly as?: PeerName; readonly links?: string | undefined },
  body: (
    request: RunRequest,
    emit: Output['event'],
    signal: AbortSignal,
    directory: string | undefined,
    show: Output['event']
  ) => Promise<unknown>
): Promise<void> {
  const stop = stopOnSignal()
  // An invalid request must fail before there is an output, which would have to be ended.
  const { requestOf } = await import('./run-flags.js')
  const request = requestOf(topology, flags)
  const { commandOf, recorded } = await import('./recorded-run.js')
  const output = await outputOf(flags, flags.as !== undefined)
  const recording = {
    request,
    out: flags.out,
    command: commandOf(process.argv.slice(2)),
    ...(flags.as === undefined ? {} : { peer: flags.as }),
    ...(flags.links === undefined ? {} : { links: flags.links }),
    emit: (event: RunEvent) => output.event(event)
  }
  let report: string | undefined
  try {
    await recorded({ ...recording, onReport: (path) => (report = path) }, (emit, directory) =>
      body(request, emit, stop, directory, recording.emit)
    )
  } catch (error) {
    throw stop.aborted ? stop.reason : error
  } finally {
    output.end()
    if (report !== undefined && flags.json !== true) print(`report: ${report}`)
  }
}

async function simulate(request: SimRequest, isJson: boolean): Promise<void> {
  const stop = stopOnSignal()
  const { runSim } = await import('./sim/sim-command.js')
  const { jsonSimOutput, textSimOutput } = await import('./sim/sim-output.js')
  const output = isJson ? jsonSimOutput(process.stdout) : textSimOutput(process.stdout, () => performance.now())
  try {
    await runSim(request, output, stop)
  } catch (error) {
    throw stop.aborted ? stop.reason : error
  } finally {
    output.close()
  }
}

/** @param isPeer - whether the output is that of a single peer */
async function outputOf({ json }: Pick<RunFlags, 'json'>, isPeer: boolean): Promise<Output> {
  if (json) return (await import('./output/json.js')).jsonOutput(process.stdout)
  if (!process.stdout.isTTY) {
    const { lineOutput, logOutput } = await import('./output/lines.js')
    return isPeer ? logOutput(process.stdout, () => new Date()) : lineOutput(process.stdout)
  }
  return (await import('./output/live.js')).liveOutput(process.stdout, () => performance.now())
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

// See no-color.org.
if (process.env.NO_COLOR) chalk.level = 0
// Where tfjs-node is installed, TensorFlow's library would print its build flags from each process.
process.env.TF_CPP_MIN_LOG_LEVEL ??= '1'
// A reader that closes the output early, such as head, is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = codeOf(error)
}
