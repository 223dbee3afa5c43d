/** Results as rows of CSV. Columns are named as the fields are: `settings.bandwidth`, `toTarget.seconds`. */
import { stringify } from 'csv-stringify/sync'
import type { CurvePoint, RunRecord, Sweep } from '../results.js'

type TableCell = string | number | undefined

/** A column: its name, and its cell for a row. */
type Column<Row> = readonly [name: string, cell: (row: Row) => TableCell]

const identity = ({ axes }: Sweep): readonly Column<RunRecord>[] => [
  ...Object.keys(axes).map((axis): Column<RunRecord> => [`settings.${axis}`, ({ settings }) => settings[axis]]),
  ['method', ({ method }) => method],
  ['seed', ({ seed }) => seed]
]

/** `mrr 0.9; hits@3 0.94`. */
const measuresOf = (point: CurvePoint | undefined): string | undefined =>
  point?.measures === undefined
    ? undefined
    : Object.entries(point.measures)
        .map(([name, value]) => `${name} ${value}`)
        .join('; ')

const last = ({ curve }: RunRecord): CurvePoint | undefined => curve[curve.length - 1]

const summaryColumns: readonly Column<RunRecord>[] = [
  ['world', ({ world }) => world],
  ['peer', ({ peer }) => peer],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['peers', ({ peers }) => peers],
  ['seconds', ({ seconds }) => seconds],
  ['rounds', ({ rounds }) => rounds],
  ['secondsPerRound', ({ secondsPerRound }) => secondsPerRound],
  ['samples', ({ samples }) => samples],
  ['toTarget.seconds', ({ toTarget }) => toTarget?.seconds],
  ['toTarget.samples', ({ toTarget }) => toTarget?.samples],
  ['toTarget.bytes', ({ toTarget }) => toTarget?.bytes],
  ['bytesSent', ({ bytesSent }) => bytesSent],
  ['payloadSent', ({ payloadSent }) => payloadSent],
  ['messages', ({ messages }) => messages],
  ['busiest.name', ({ busiest }) => busiest?.name],
  ['busiest.bytes', ({ busiest }) => busiest?.bytes],
  ['time.working', ({ time }) => time?.working],
  ['time.sending', ({ time }) => time?.sending],
  ['time.waiting', ({ time }) => time?.waiting],
  ['final.loss', (run) => last(run)?.loss],
  ['final.accuracy', (run) => last(run)?.accuracy],
  ['final.perplexity', (run) => last(run)?.perplexity],
  ['final.measures', (run) => measuresOf(last(run))],
  ['final.worstLoss', (run) => last(run)?.worstLoss],
  ['final.consensusDistance', (run) => last(run)?.consensusDistance],
  ['final.gap', (run) => last(run)?.gap],
  ['keys.local', ({ keys }) => keys?.local],
  ['keys.remote', ({ keys }) => keys?.remote],
  ['keys.queued', ({ keys }) => keys?.queued],
  ['keys.moved', ({ keys }) => keys?.moved],
  ['keys.copied', ({ keys }) => keys?.copied],
  ['store.sets', ({ store }) => store?.sets],
  ['store.secondsPerSet', ({ store }) => store?.secondsPerSet],
  ['store.overwritten', ({ store }) => store?.overwritten],
  ['learnedNothing', ({ learnedNothing }) => learnedNothing],
  ['ended', ({ ended }) => ended],
  ['lost', ({ lost }) => lost?.join('; ')],
  ['epochs', ({ epochs }) => epochs?.length],
  ['findings', ({ findings }) => findings.join('; ')],
  ['logHash', ({ logHash }) => logHash],
  ['realSeconds', ({ realSeconds }) => realSeconds]
]

const pointColumns = [
  'seconds',
  'samples',
  'bytes',
  'round',
  'loss',
  'accuracy',
  'perplexity',
  'worstLoss',
  'consensusDistance',
  'gap'
] as const

/** Numbers as JavaScript writes them; an empty cell for a missing number and for NaN (of a run that diverged). */
const text = (cell: TableCell): string => (cell === undefined || Number.isNaN(cell) ? '' : String(cell))

/** The text of a table, one or more lines at a time; the first is the header. */
export function* summaryTable(sweep: Sweep, runs: readonly RunRecord[]): Generator<string> {
  const columns = [...identity(sweep), ...summaryColumns]
  yield stringify([columns.map(([name]) => name)])
  for (const run of runs) yield stringify([columns.map(([, cell]) => text(cell(run)))])
}

export function* curvesTable(sweep: Sweep, runs: readonly RunRecord[]): Generator<string> {
  const columns = identity(sweep)
  yield stringify([[...columns.map(([name]) => name), ...pointColumns]])
  for (const run of runs) {
    const identifying = columns.map(([, cell]) => text(cell(run)))
    yield stringify(run.curve.map((point) => [...identifying, ...pointColumns.map((key) => text(point[key]))]))
  }
}
