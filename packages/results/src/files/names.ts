/** What a directory of results holds. */
export const names = {
  /** What the sweep is about. */
  sweep: 'sweep.json',
  /** The scenario file, as it was read. */
  scenario: 'scenario.yaml',
  /** A run per line, in the order in which they were done. */
  runs: 'runs.jsonl',
  /** A timeline per line, of the few runs that are kept event by event. */
  timelines: 'timelines.jsonl',
  report: 'report.html',
  /** A line per run, for spreadsheets and data frames. */
  summary: 'summary.csv',
  /** A line per point of a run's curve. */
  curves: 'curves.csv'
} as const

/**
 * The version of these files' format. Other versions are refused; a folder without a version is older than all of them.
 */
export const format = 2
