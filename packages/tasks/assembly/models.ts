export * from './classes'
export * from './rows'
