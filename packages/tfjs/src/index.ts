export * from './backend.js'
