/** What happens around a tab while it trains: it is hidden, put to sleep or closed, or the network is gone. */
import { showAlert } from './views.js'

/** Calls `leave` when the tab closes or is put to sleep; a tab that comes back is opened anew, and enters again. */
export function onGone(leave: () => void): void {
  addEventListener('pagehide', leave)
  document.addEventListener('freeze', leave)
  document.addEventListener('resume', () => location.reload())
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

/** Says that the network is gone, as long as `isTraining`, and calls `note` on how long the tab was hidden. */
export function watchSurroundings(isTraining: () => boolean, note: (text: string) => void): void {
  let hiddenAt: number | undefined
  addEventListener('offline', () => {
    if (isTraining())
      showAlert(
        'This device has no network. Training continues by itself when the network is back; leave the tab open.'
      )
  })
  addEventListener('online', () => showAlert(''))
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenAt = performance.now()
    else if (hiddenAt !== undefined && isTraining()) {
      const seconds = Math.round((performance.now() - hiddenAt) / 1000)
      if (seconds >= 5) note(`this tab was in the background for ${seconds} s`)
    }
  })
}
