/** Where runs took place, and which model is evaluated, in words. */
import type { PageData } from './page-data.js'

export const worldWords = { libp2p: 'real', simulator: 'simulated' } as const

/** Whether there are real and simulated runs. */
export const isMixed = ({ worlds }: Pick<PageData, 'worlds'>): boolean => new Set(worlds).size > 1

/**
 * Whether methods can be ranked: there are several, their seconds are of one kind, and none is a single peer of a run.
 */
export const isRanked = (data: Pick<PageData, 'methods' | 'worlds' | 'peers'>): boolean =>
  data.methods.length > 1 && !isMixed(data) && data.peers.length === 0

/** Whether one method ran in one setting: there is nothing to compare. */
export const isAlone = ({ methods, cases }: Pick<PageData, 'methods' | 'cases'>): boolean =>
  methods.length === 1 && cases.length <= 1

/** The name of the time axis. */
export function timeWord(data: Pick<PageData, 'worlds'>): string {
  if (isMixed(data)) return 'time: real, or virtual where simulated'
  return data.worlds[0] === 'libp2p' ? 'real time' : 'virtual time'
}

/** The model whose loss and accuracy are shown. */
export function modelWord({ peers }: Pick<PageData, 'peers'>): string {
  if (peers.length === 0) return 'the mean of all peers’ parameters'
  return peers.length === 1 ? `the model of the peer ${peers[0]}` : `the peers’ own models (${peers.join(', ')})`
}
