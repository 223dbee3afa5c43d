import { join } from 'node:path'
import {
  type Advice,
  advise,
  type AdvisedPlan,
  type AdviceFiles,
  adviceFiles,
  adviseStages,
  checkMovable,
  secondsOf,
  type StageAdvice,
  stageFiles,
  timesAsLong,
  totalOf
} from '@murmuration/experiment/advise'
import { computingOf } from '@murmuration/experiment/sim'
import { secondsText } from '@murmuration/report'
import { replaceFile } from '@murmuration/results'
import Table from 'cli-table3'
import { median } from 'simple-statistics'
import { stageLines, stageText } from './advise-stages.js'
import { rateText, verdictOn } from './advise-verdict.js'
import { bytes } from './output/texts.js'
import { resultsFolder } from './results-folder.js'
import { fileOrSample } from './samples.js'

/** The options of `murmur advise`. */
export interface AdviseFlags {
  readonly train?: string
  /** Links files, and folders with such files. */
  readonly links: readonly string[]
  /** As in a scenario. */
  readonly computing?: string
  readonly loss?: number
  /** Milliseconds. */
  readonly budget: number
  readonly threads?: number
  /** A folder for the files with the best plan. */
  readonly out?: string
  readonly json?: boolean
}

/** Simulates candidate plans over the links of a topology, prints the best, and writes the files for it. */
export async function runAdvise(
  topology: string,
  { train, computing, out, json = false, budget, ...flags }: AdviseFlags,
  print: (text: string) => void,
  signal: AbortSignal
): Promise<void> {
  const request = {
    topology: fileOrSample(topology, 'topologies'),
    ...(train === undefined ? {} : { train: fileOrSample(train, 'examples') })
  }
  const staged = await adviseStages(request, { links: flags.links, signal })
  if (staged !== undefined) return giveStages(request, staged, { out, json }, print)
  const note = (text: string) => void process.stderr.write(`${text}\n`)
  const search = () =>
    advise(request, {
      ...flags,
      ...(computing === undefined ? {} : { computing: computingOf(computing) }),
      budget: budget / 1000,
      emit: ({ plans, rounds, seeds }) => {
        const seedText = seeds === 1 ? '' : ` with ${seeds} seeds`
        if (!json) note(`simulating ${plans} ${plans === 1 ? 'plan' : 'plans'} for at most ${rounds} rounds${seedText}`)
      },
      signal
    })
  const show = (advice: Advice) => {
    if (json) for (const line of jsonOf(advice)) print(JSON.stringify(line))
    else print(textOf(advice))
  }
  if (out === undefined) return show(await search())
  await writing(request, { out, json }, print, async () => {
    const advice = await search()
    show(advice)
    return adviceFiles(request, advice.plans[0], advice.links)
  })
}

/** The files of a request. */
type AdviceRequest = { readonly topology: string; readonly train?: string }

async function giveStages(
  request: AdviceRequest,
  advice: StageAdvice,
  { out, json = false }: Pick<AdviseFlags, 'out' | 'json'>,
  print: (text: string) => void
): Promise<void> {
  if (json) for (const line of stageLines(advice)) print(JSON.stringify(line))
  else print(stageText(advice))
  if (out !== undefined) await writing(request, { out, json }, print, () => stageFiles(request, advice.plans[0]))
}

/** Writes files to a folder that is new or empty. */
async function writing(
  request: AdviceRequest,
  { out, json }: { readonly out: string; readonly json: boolean },
  print: (text: string) => void,
  textsOf: () => Promise<AdviceFiles>
): Promise<void> {
  await checkMovable(request.train, out)
  const folder = await resultsFolder({ path: request.topology, out })
  try {
    const texts = await textsOf()
    const [topologyPath, trainPath] = ['topology.yaml', 'train.yaml'].map((name) => join(out, name))
    await replaceFile(topologyPath, [texts.topology])
    await replaceFile(trainPath, [texts.train])
    if (!json) print(`\nnpx murmur swarm ${topologyPath} --train ${trainPath}`)
  } finally {
    await folder.removeIfEmpty()
  }
}

/**
 * A line for each plan, and one with the overall result. Infinite times are null; `timesAsLong` is a plan's time
 * divided by the best's.
 */
function jsonOf({ plans, links: _, ...rest }: Advice): readonly object[] {
  return [
    ...plans.map((plan, index) => {
      const times = index === 0 ? undefined : timesAsLong(plan, plans[0])
      return { kind: 'plan', place: index + 1, ...plan, seconds: totalOf(plan), timesAsLong: times }
    }),
    { kind: 'summary', ...rest }
  ]
}

function textOf({ plans, tried, targets, freshSeeds, computing, computed, isWhole, assumed }: Advice): string {
  const head = ['plan', 'graph', 'codec', 'rate', 'seeds', 'together', 'to the loss', 'averaging', 'sent by a peer']
  const table = new Table({
    head,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [34, 20, 9, 8, 9, 22, null, null, null]
  })
  for (const plan of plans) table.push(rowOf(plan))
  const [best] = plans
  return [
    `compared ${tried} plans, and chose the best with ${targets.length} ${targets.length === 1 ? 'seed' : 'seeds'}. The table has the virtual time to a loss of ${targets[0].toPrecision(3)}, and that of the final averaging rounds.`,
    ...assumed.map((sentence) => `Links: ${sentence}.`),
    `Computing takes ${computing.perSample.toPrecision(3)} ms per sample and ${computing.perStep.toPrecision(3)} ms per step.`,
    ...(isWhole ? [] : ['The budget ended before all plans were simulated: a larger --budget may find a better one.']),
    table.toString(),
    ...(freshSeeds === 0
      ? ['The budget ended before fresh seeds: these times are of the seeds that chose the plan, which flatter it.']
      : [
          `The first plan, the next one and that of the files were measured with ${freshSeeds} fresh seeds, which had chosen nothing.`
        ]),
    ...plans.flatMap((plan) => verdictOn(plan, best)),
    ...endingOf(best, computed)
  ].join('\n')
}

/** What the time of the best plan does not say. */
function endingOf(best: AdvisedPlan, computed: number): readonly string[] {
  const isApart = best.bytes === 0
  return [
    ...(isApart
      ? ['With it peers have the loss before they exchange anything: they train apart, and are averaged at the end.']
      : []),
    ...(computed > totalOf(best)
      ? [
          `The run goes on for all rounds of the training file, in which the slowest peer computes for ${time(computed)}: end it once it has the loss.`
        ]
      : [])
  ]
}

function rowOf(plan: AdvisedPlan): string[] {
  const { algorithm, averaging, bytes: sent, choice, fresh, graph, isGiven, reached } = plan
  const seconds = secondsOf(plan)
  const range = [Math.min(...seconds), Math.max(...seconds)].map(time)
  const spread = range[0] === range[1] ? '' : ` (${range.join(' to ')})`
  return [
    `${algorithm}${isGiven ? ' (the plan of the files)' : ''}`,
    graph,
    choice.codec,
    rateText(choice.rate),
    fresh.length > 0 ? `${fresh.length} fresh` : `${reached.length}`,
    `${time(totalOf(plan))}${spread}`,
    time(median(seconds.map((each) => each - averaging))),
    time(averaging),
    sent === undefined ? '–' : bytes(sent)
  ]
}

const time = (seconds: number) => (Number.isFinite(seconds) ? secondsText(seconds) : 'not reached')
