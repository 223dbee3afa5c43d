/** What a directory of results holds. */
export const names = {
  /** What the sweep is about. */
  sweep: 'sweep.json',
  /** A run per line. */
  runs: 'runs.jsonl',
  timelines: 'timelines.json',
  /** A line per run, for spreadsheets and data frames. */
  summary: 'summary.csv',
  /** A line per point of a run's curve. */
  curves: 'curves.csv'
} as const
