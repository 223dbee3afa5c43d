import test from 'ava'
import { SendingTime } from './sending-time.js'

test('time in which several vectors are in flight counts once', (t) => {
  let now = 100
  const sending = new SendingTime({ now: () => now })
  const at = (time: number, act: 'begin' | 'end') => {
    now = time
    sending[act]()
  }
  at(110, 'begin')
  at(120, 'begin')
  at(130, 'end')
  t.is(sending.total, 20)
  at(140, 'end')
  now = 200
  t.is(sending.total, 30)
  at(210, 'begin')
  now = 215
  t.is(sending.total, 35)
})
