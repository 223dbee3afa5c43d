/**
 * Results of simulations, and the report on them: one HTML file that needs no network.
 *
 * @packageDocumentation
 */
export { runsOfSweep } from './files/order.js'
export { readResults } from './files/read.js'
export { replaceFile } from './files/replace.js'
export { ResultsWriter, writeReport } from './files/write.js'
export { reportHtml } from './report-html.js'
export type * from './results.js'
export { secondsText, settingText } from './shared/units.js'
