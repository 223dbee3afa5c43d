export * from './changes'
export * from './half'
export * from './int8'
export * from './layout'
