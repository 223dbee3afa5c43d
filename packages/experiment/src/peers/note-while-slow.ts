/** After how long a wait is told of first, in milliseconds; then after twice that, and so on. */
const firstNote = 10_000

/** Awaits `work`, and says with `note`, at growing intervals, how many seconds that has taken so far. */
export async function noteWhileSlow<Result>(
  work: Promise<Result>,
  note: (seconds: number) => void,
  first = firstNote
): Promise<Result> {
  let next = first
  let timer = setTimeout(tell, first)
  function tell(): void {
    note(next / 1000)
    timer = setTimeout(tell, next)
    next *= 2
  }
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
