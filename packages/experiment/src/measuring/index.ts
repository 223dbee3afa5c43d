/**
 * Links measured between real peers.
 *
 * @packageDocumentation
 */
export { linksFrom, type MeasureOptions, measureLinks } from './measure-links.js'
export { linkTimeout, type MeasuredLink, probeLinks } from './probe-links.js'
