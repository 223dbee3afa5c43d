/**
 * What pandas, R, spreadsheets and the UCI repository write for a value that is missing; pandas reads all but the last
 * as such.
 */
const missing: ReadonlySet<string> = new Set([
  ...['', 'NA', '<NA>', '#NA', 'N/A', '#N/A', '#N/A N/A', 'n/a', 'NaN', '-NaN', 'nan', '-nan', 'NULL', 'null', 'None'],
  ...['-1.#IND', '1.#IND', '-1.#QNAN', '1.#QNAN', 'NaT', '?']
])

/** Whether a cell stands for a missing value. */
export const isMissing = (text: string): boolean => missing.has(text)
