import type { PeerName } from '@murmuration/core'
import { readTopologyFile } from '@murmuration/files'
import chalk from 'chalk'
import { Argument, Command, Option } from 'commander'
import { algorithmsLines, algorithmsText } from './algorithms-command.js'
import { checkpointsOf } from './checkpoint-options.js'
import type { Output, RunEvent, RunRequest } from '@murmuration/experiment'
import type { AdviseFlags } from './advise-command.js'
import { type Shell, shells } from './completion/shells.js'
import { codeOf, exitCodeLines, stopOnSignal } from './ending.js'
import type { DoctorFlags } from './doctor-command.js'
import { graphs, type InitFlags } from './init/choices.js'
import { dataWords, taskWords } from './init/tasks.js'
import { addModelCommands } from './model-commands.js'
import { countOf, durationOf, minFinishedOf, nameOf, partOf, positiveOf, repeatable, watched } from './option-values.js'
import { addRunCommands } from './run-commands.js'
import { discoveryOf, type PeerFlags, relayOf, requestOf, type RunFlags, simulated } from './run-flags.js'
import { placeOptions, runOptions, trainingOptions } from './shared-options.js'
import { fileOrSample } from './samples.js'
import type { SimRequest } from './sim/sim-command.js'
import type { SwarmOptions } from '@murmuration/experiment/peers'
import { version } from './version.js'

type SwarmFlags = Pick<SwarmOptions, 'baseline' | 'links' | 'minFinished'>

// Each command loads its own modules: loading libp2p and TensorFlow.js takes longer than most commands run.
const program = new Command('murmur')
  .description('SGD without a server: peers train on their own data and average with their neighbours.')
  .version(version)
  .exitOverride()
  .showSuggestionAfterError()
  .showHelpAfterError('"murmur --help" lists the commands, "murmur COMMAND --help" what a command takes')
  .addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`)

runOptions(program.command('swarm'))
  .description('run all peers of a topology on this machine, as real processes over real libp2p')
  .option('--no-baseline', 'do not run plain SGD on all the data afterwards, for comparison')
  .option(
    '--method <label>',
    'run this method of a scenario, which is given in place of a topology, over links as slow as it says'
  )
  .option('--links <file>', 'make the connections as slow as the links in this file')
  .option('--min-finished <peers>', 'end with code 3 when fewer peers finish: a number, or a percentage', minFinishedOf)
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
  .option('--lan', 'find others on the local network, and be found')
  .action((topology: string, flags: RunFlags & PeerFlags) =>
    run(topology, flags, async (request, emit, signal, directory) => {
      const { runPeerCommand } = await import('@murmuration/experiment/peers')
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
    'simulate the runs of a scenario in virtual time, and write a report that compares them; or what "murmur swarm" would run'
  )
  .argument(
    '[scenario]',
    'a scenario file, or a sample such as slow-links; with --train a topology file',
    'sim/slow-links.yaml'
  )
  .option('--out <folder>', 'where the results go (default: a new folder in results)')
  .option('--threads <number>', 'how many threads to simulate on (default: one per core)', countOf)
  .option('--part <k/n>', 'only part K of N, for as many jobs of a cluster; "murmur report" puts them together', partOf)
  .option('--calibrate', 'measure on this machine what computing takes, in place of what the scenario says')
  .option('--json', 'print one JSON object per line')
  .action((given: string, { json, ...flags }: Pick<SimRequest, 'out' | 'threads' | 'part' | 'calibrate'> & RunFlags) =>
    simulate({ ...simulated(given, flags), ...flags }, json === true)
  )

program
  .command('advise')
  .description('find a plan for the links of a topology: simulates many, and says which reaches the same loss first')
  .argument('<topology>', 'a topology file; it says how fast links are, where --links does not')
  .option('--train <file>', 'a training file (default: a small network on drawn digits)')
  .addOption(
    repeatable(
      '--links <file>',
      'a links file, such as "murmur measure" writes, or a folder of them; goes before the links of the topology',
      'none'
    )
  )
  .option(
    '--computing <yaml>',
    'what computing takes, as in a scenario: "{ perSample: 1 ms, slow: { b: 4 } }" (default: measured on this machine)'
  )
  .option('--loss <number>', 'the loss to be reached (default: where plain SGD has 95 % of what it gains)', positiveOf)
  .addOption(new Option('--budget <time>', 'how long to simulate').argParser(durationOf).default(120_000, '2 min'))
  .option('--threads <number>', 'how many threads to simulate on (default: one per core)', countOf)
  .option('--out <folder>', 'write a topology file and a training file with the best plan there')
  .option('--json', 'print one JSON object per line')
  .action(async (topology: string, flags: AdviseFlags) => {
    const stop = stopOnSignal()
    const { runAdvise } = await import('./advise-command.js')
    await runAdvise(topology, flags, print, stop)
  })

program
  .command('init')
  .description('write a topology file and a training file to begin with; on a terminal, and without options, it asks')
  .argument('[folder]', 'where to; made where there is none', '.')
  .option('--peers <number or names>', 'how many peers on this machine, or machines with a peer each: alice,bob,carol')
  .addOption(new Option('--graph <kind>', 'who averages with whom').choices(graphs.map(({ kind }) => kind)))
  .option('--task <kind>', `${taskWords.join(', ')}, or a module with a model of your own`)
  .option('--data <path>', `${dataWords.join(', ')}, or a folder or file with data`)
  .option('--partition <how>', 'how the peers share the data: equal, label or dirichlet:ALPHA')
  .option('--algorithm <name>', 'an algorithm that "murmur algorithms" lists, or a module with one of your own')
  .option('--yes', 'ask nothing; 4 peers on a ring, mlp on digits by dpsgd, but for what other options say')
  .action(async (folder: string, flags: InitFlags) => {
    const { runInit } = await import('./init/init-command.js')
    print(await runInit(folder, flags, { input: process.stdin, output: process.stdout }))
  })

program
  .command('report')
  .description(
    'write the report of results again; of several folders, one report with all of them side by side, or of the whole sweep whose parts they are'
  )
  .argument('<folders...>', 'folders that "murmur sim", "swarm --out" or "peer --out" wrote')
  .option('--out <folder>', 'where the report of several folders goes (default: a new folder in results)')
  .action(async (folders: readonly string[], flags: { readonly out?: string }) => {
    const { reportOn } = await import('./report-command.js')
    print(await reportOn(folders, flags, (text) => void process.stderr.write(`${text}\n`)))
  })

addModelCommands(program, print)

program
  .command('topology')
  .description('print neighbours, weights, spectral gap and what is wrong with a topology')
  .argument('<topology>', 'a topology file, or a sample such as ring-4')
  .option('--json', 'print one JSON object')
  .action(async (path: string, { json }: { readonly json?: boolean }) => {
    const { topologyReport, topologyReportJson } = await import('./topology-report.js')
    const file = await readTopologyFile(fileOrSample(path, 'topologies'))
    print(json ? JSON.stringify(topologyReportJson(file)) : topologyReport(file))
  })

program
  .command('algorithms')
  .description('list the algorithms: where each is published, what it needs and keeps, and its options')
  .option('--json', 'print one JSON object per line')
  .action(({ json }: { readonly json?: boolean }) => print(json ? algorithmsLines() : algorithmsText()))

program
  .command('doctor')
  .description("say what is wrong with this machine, or with a peer's place in a topology, and how to mend it")
  .argument('[topology]', 'a topology file, with --as')
  .option('--as <name>', 'which peer of the topology runs here', nameOf)
  .option('--key <file>', 'the private key of this peer; see "murmur identity"')
  .addOption(repeatable('--seed <address>', 'a seed by which the run is to be found', 'none'))
  .addOption(repeatable('--via <address>', 'a relay by which this peer is to be reached', 'none'))
  .option('--upnp', 'have a router forward this peer’s port, and see whether it does')
  .option('--out <folder>', 'where results and checkpoints are to go (default: here)')
  .option('--time-server <host>', 'what to compare the clock with (default: pool.ntp.org)')
  .option('--json', 'print one JSON object per line')
  .action(async (topology: string | undefined, flags: DoctorFlags) => {
    const { runDoctor } = await import('./doctor-command.js')
    process.exitCode = await runDoctor(topology, flags, print)
  })

program
  .command('identity')
  .description("create this machine's key for a peer, once, and print the peer's id")
  .argument('<name>', 'the name of the peer', nameOf)
  .option('--key <file>', 'where to keep the key (default: in the home of murmur)')
  .option('--json', 'print one JSON object')
  .action(async (name: PeerName, { key, json }: { readonly key?: string; readonly json?: boolean }) => {
    const { identityOf, identityText } = await import('./identity-command.js')
    const report = await identityOf(name, key)
    print(json ? JSON.stringify(report) : identityText(report))
  })

program
  .command('completion')
  .description('print a script by which a shell completes commands, options, names and files')
  .addArgument(new Argument('<shell>', 'the shell').choices(shells))
  .action(async (shell: Shell) => {
    const { completionScript } = await import('./completion/completion-command.js')
    print(completionScript(shell, program))
  })

/** Runs real peers, all of a topology or one (`as`), and writes the results to `--out`. */
async function run(
  topology: string,
  flags: RunFlags & { readonly as?: PeerName; readonly links?: string | undefined },
  body: (request: RunRequest, emit: Output['event'], signal: AbortSignal, directory?: string) => Promise<unknown>
): Promise<void> {
  const stop = stopOnSignal()
  // An invalid request must fail before there is an output, which would have to be ended.
  const request = requestOf(topology, flags)
  const { commandOf, recorded } = await import('./recorded-run.js')
  const output = await outputOf(flags)
  const recording = {
    ...{ request, out: flags.out, command: commandOf(process.argv.slice(2)) },
    ...(flags.as === undefined ? {} : { peer: flags.as }),
    ...(flags.links === undefined ? {} : { links: flags.links }),
    emit: (event: RunEvent) => output.event(event)
  }
  let report: string | undefined
  try {
    await recorded({ ...recording, onReport: (path) => (report = path) }, (emit, directory) =>
      body(request, emit, stop, directory)
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

async function outputOf({ json }: RunFlags): Promise<Output> {
  if (json) return (await import('./output/json.js')).jsonOutput(process.stdout)
  if (!process.stdout.isTTY) return (await import('./output/lines.js')).lineOutput(process.stdout)
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
