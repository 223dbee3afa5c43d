import test from 'ava'
import { isLaterEpoch } from './epochs.js'

test('an epoch is later than those of up to half of all numbers before it, also across the end', (t) => {
  for (const epoch of [0, 1, 32_767, 32_768, 65_535]) {
    t.false(isLaterEpoch(epoch, epoch))
    for (const ahead of [1, 2, 32_767]) {
      const later = (epoch + ahead) % 65_536
      t.true(isLaterEpoch(later, epoch), `${later} after ${epoch}`)
      t.false(isLaterEpoch(epoch, later), `${epoch} before ${later}`)
    }
  }
})
