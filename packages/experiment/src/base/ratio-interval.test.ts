import test from 'ava'
import { isTie, ratioInterval } from './ratio-interval.js'

test('the interval of paired ratios is that of Student’s t, and does not depend on what the seeds have in common', (t) => {
  // log ratios of 0.1, 0.2, 0.3 and 0.4: mean 0.25, standard deviation 0.1291, t 3.182 for three degrees of freedom.
  const right = [1, 10, 5, 2]
  const left = right.map((each, k) => each * Math.exp(0.1 * (k + 1)))
  const { ratio, low, high } = ratioInterval(left, right)
  t.true(Math.abs(Math.log(ratio) - 0.25) < 1e-9)
  t.true(Math.abs(Math.log(low) - 0.0446) < 1e-4 && Math.abs(Math.log(high) - 0.4554) < 1e-4)
  t.false(isTie({ ratio, low, high }))
})

test('a lead that a seed contradicts is a tie, and so are equal times', (t) => {
  t.true(isTie(ratioInterval([1.3, 1.2, 0.7], [1, 1, 1])))
  t.true(isTie(ratioInterval([2, 3], [2, 3])))
  t.throws(() => ratioInterval([1], [1]), { message: /two or more pairs/ })
})
