/**
 * What pages in the browser share: elements, and figures as text.
 *
 * @packageDocumentation
 */
export { colour, element, found } from './elements.js'
export { bytesText, countText, dash, namesText, percentText, shortText } from './format.js'
export { sharedStyle } from '../page-style.js'
