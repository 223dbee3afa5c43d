// How the published step counts were found: the authors' tuning.py and notebooks (github.com/epfml/relaysgd,
// paper-figures), in other words.
//
// The loss f(mean x) − f* is looked at after 1,000 numbers of steps, evenly spread over the logarithms of 1 to 20,000.
// A rate is too large where the loss rises between two looks and is above ε, or is above that of the first look.
// Methods that come to the optimum count the steps to the first look below ε, the fewest over the rates. Those that
// stay beside it, Gossip and RelaySum/Grad with ζ² > 0, count the steps until the loss has settled (three looks within
// ε / 100 of their mean) at the largest rate that settles below ε, to 10 %.

export const maxSteps = 20_000

/** The numbers of steps after which the loss is looked at. */
export const looks = new Set(Array.from({ length: 1000 }, (_, i) => Math.round(maxSteps ** (i / 999))))

/**
 * The fewest steps, and their rate. `run(rate, look)` calls `look(steps, loss)` until that returns an outcome, and
 * returns it.
 */
export function tuned(run, { startRate, eps, isSettling }) {
  return isSettling ? tunedToSettle(run, startRate, eps) : tunedToReach(run, startRate, eps)
}

async function tunedToReach(run, startRate, eps) {
  let best = { rate: startRate, steps: Infinity }
  let low = 0
  let high = 2 * startRate
  let rate = startRate
  const outcomeOf = (steps, loss, settled) =>
    loss < eps ? steps : settled > eps ? 'too large' : steps > 10 * best.steps ? 'too slow' : undefined
  while (high - low > 1e-4) {
    const outcome = await run(rate, looking(eps, eps / 10, outcomeOf))
    if (outcome === 'too large') high = rate
    else if (!(outcome < best.steps) || low > 0) low = rate
    if (outcome >= best.steps) high = Math.min(4 * rate, high)
    if (outcome < best.steps) best = { rate, steps: outcome }
    rate = low > 0 ? (low + high) / 2 : rate / 2
  }
  return best
}

async function tunedToSettle(run, startRate, eps) {
  let best = { rate: startRate, steps: Infinity }
  let low = 0
  let high = 2 * startRate
  let loss = 0
  const outcomeOf = (steps, _, settled) => {
    loss = settled
    if (settled < eps) return steps
    return settled > eps ? 'too large' : steps > 10 * best.steps ? 'too slow' : undefined
  }
  while (high - low > 1e-6) {
    const rate = (low + high) / 2
    const outcome = await run(rate, looking(eps, eps / 100, outcomeOf))
    if (outcome < best.steps) best = { rate, steps: outcome }
    if (outcome === 'too large') high = rate
    else low = rate
    if (outcome !== 'too large' && loss > eps / 1.1) return best
  }
  return best
}

/**
 * A look at a run, from its first to the one that has an outcome; `settled` is the mean of three looks that are near
 * it.
 */
function looking(eps, tolerance, outcomeOf) {
  let first
  let last = []
  return (steps, loss) => {
    first ??= loss
    if (!(loss <= first) || (loss > last.at(-1) && loss > eps)) return 'too large'
    last = [...last.slice(-2), loss]
    const mean = last.reduce((sum, value) => sum + value, 0) / 3
    const isSettled = last.length === 3 && last.every((value) => Math.abs(value - mean) < tolerance)
    return outcomeOf(steps, loss, isSettled ? mean : undefined) ?? (steps === maxSteps ? 'too slow' : undefined)
  }
}
