/**
 * Results of runs and of simulations: their types, and the folder that holds them.
 *
 * @packageDocumentation
 */
export { mergeResults, type NamedResults } from './merge.js'
export { eventsFile, eventsFolder } from './events/lines.js'
export { type EventLog, readEventLogs } from './events/read.js'
export { runsOfLogs } from './events/runs.js'
export { type TimelineRun, timelinesOfLogs } from './events/timelines.js'
export { names } from './files/names.js'
export { runsOfSweep } from './files/order.js'
export { mergeParts, ofPart, partText, runsExpected } from './parts.js'
export { readResults } from './files/read.js'
export { replaceFile, replacePrivateFile } from './files/replace.js'
export { removeResults, ResultsWriter, writeResults, writeRuns, writeTables } from './files/write.js'
export type * from './results.js'
