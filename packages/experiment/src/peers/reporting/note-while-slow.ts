/** How long work takes before the first note, in milliseconds; then the interval doubles. */
const firstNote = 10_000

/** Awaits `work`, and calls `note`, at growing intervals, with the number of seconds so far. */
export async function noteWhileSlow<Result>(
  work: Promise<Result>,
  note: (seconds: number) => void,
  first = firstNote
): Promise<Result> {
  let next = first
  let timer = setTimeout(report, first)
  function report(): void {
    note(next / 1000)
    timer = setTimeout(report, next)
    next *= 2
  }
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
