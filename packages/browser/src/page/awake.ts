/** Keeps the screen on while this tab trains: a phone that sleeps pauses its pages. */

/** Whether this browser can keep the screen on; not outside of secure contexts. */
export const canStayAwake = 'wakeLock' in navigator

/** Keeps the screen on until the returned function is called, unless the browser refuses, as on a low battery. */
export function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined
  let isOver = false
  const ask = async () => {
    // A browser ends the lock of a hidden page.
    if (document.hidden || isOver) return
    lock = await navigator.wakeLock.request('screen').catch(() => undefined)
    if (isOver) await lock?.release()
  }
  document.addEventListener('visibilitychange', () => void ask())
  void ask()
  return () => {
    isOver = true
    void lock?.release()
  }
}
