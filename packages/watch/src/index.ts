/**
 * A run watched from one of its peers: what peers report, a page in the browser, and metrics.
 *
 * @packageDocumentation
 */
export { type WatchAddress, watchAddress } from './address.js'
export { Board, type Membership, type PeerStanding } from './board.js'
export { intervalFor, intervalsPerQuestion, isQuestion, Leases, question, shortestInterval } from './leases.js'
export type { Condition, RunFacts, SwarmNow } from './messages.js'
export { isReport, type LinkReport, type PeerReport, type Phase, reportNote } from './report.js'
export { WatchServer } from './server.js'
