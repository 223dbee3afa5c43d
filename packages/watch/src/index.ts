/**
 * The pages that a peer serves: a run watched from it, with what peers report and metrics; and a browser that joins.
 *
 * @packageDocumentation
 */
export { type WatchAddress, watchAddress } from './address.js'
export { Board, type Membership, type PeerStanding } from './board.js'
export { type JoinPage, JoinServer } from './join-server.js'
export { intervalFor, intervalsPerQuestion, isQuestion, Leases, question, shortestInterval } from './leases.js'
export type { Condition, RunFacts, SwarmNow } from './messages.js'
export { isReport, type LinkReport, type PeerReport, type Phase, reportNote } from './report.js'
export { WatchServer } from './server.js'
