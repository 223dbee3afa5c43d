import { peerName } from '@murmuration/core'
import test from 'ava'
import { Slot } from './slot.js'

const names = Array.from({ length: 12 }, (_, place) => peerName(`p${place}`))

test('a slot finds the messages of few senders and of many, in the order of their coming, also after some have gone', (t) => {
  for (const count of [3, 12]) {
    const slot = new Slot()
    const message = (name: string) => ({ number: Number(name.slice(1)) })
    for (const name of names.slice(0, count)) slot.add(name, message(name))
    for (const name of names) t.deepEqual(slot.get(name), names.indexOf(name) < count ? message(name) : undefined)
    slot.delete(names[1])
    t.is(slot.get(names[1]), undefined)
    t.deepEqual(slot.get(names[2]), message(names[2]))
    const come: string[] = []
    slot.forEach((from) => come.push(from))
    t.deepEqual(
      come,
      names.slice(0, count).filter((name) => name !== names[1])
    )
    slot.clear()
    t.is(slot.size, 0)
    t.is(slot.get(names[2]), undefined)
    slot.add(names[2], message(names[5]))
    t.deepEqual(slot.get(names[2]), message(names[5]))
  }
})
