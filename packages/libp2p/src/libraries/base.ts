/** See base.browser.ts. */
export * from './base.browser.js'
