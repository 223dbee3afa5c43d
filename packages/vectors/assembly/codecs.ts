export * from './changes'
export * from './half'
export * from './integers'
export * from './layout'
