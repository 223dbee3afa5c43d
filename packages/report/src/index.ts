/**
 * The report on results: one HTML file that needs no network.
 *
 * @packageDocumentation
 */
export { reportHtml } from './report-html.js'
export { secondsText, settingText } from './shared/units.js'
export { writeReport } from './write-report.js'
