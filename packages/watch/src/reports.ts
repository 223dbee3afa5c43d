/**
 * What peers report to those that watch: the part of this package that runs in a browser, too.
 *
 * @packageDocumentation
 */
export { intervalFor, intervalsPerQuestion, isQuestion, Leases, question, shortestInterval } from './leases.js'
export type { Condition, RunFacts } from './messages.js'
export { isReport, type LinkReport, type PeerReport, type Phase, reportNote } from './report.js'
