import { Board, type WatchAddress, WatchServer } from '@murmuration/watch'
import type { OpenPage } from './watching.js'

/** Serves the page that shows the run, at this address. Rejects with an InputError on failure. */
export function pageAt(address: WatchAddress): OpenPage {
  return async (facts, interval, now) => {
    const board = new Board(facts, interval, now)
    return { board, server: await WatchServer.start(board, address) }
  }
}
