import { peerName } from '@murmuration/core'
import test from 'ava'
import { KernelProgram } from './program.js'
import { Mailbox } from './mailbox.js'

const program = () => new KernelProgram(peerName('a'))

test('programs get messages in the order in which they began to wait; messages that nobody waits for are kept in order', (t) => {
  const mailbox = new Mailbox<number>()
  const first = program()
  const second = program()
  mailbox.wait(first)
  mailbox.wait(second)
  t.is(mailbox.deliver(1), first)
  t.is(mailbox.deliver(2), second)
  t.is(mailbox.deliver(3), undefined)
  t.is(mailbox.deliver(4), undefined)
  t.deepEqual([mailbox.take(), mailbox.take(), mailbox.take()], [3, 4, undefined])
})

test('a program that no longer waits gets no message, and the others keep their turn', (t) => {
  for (const leaver of [0, 1, 2]) {
    const mailbox = new Mailbox<number>()
    const programs = [program(), program(), program()]
    for (const each of programs) mailbox.wait(each)
    mailbox.forget(programs[leaver])
    const rest = programs.filter((_, place) => place !== leaver)
    t.deepEqual([mailbox.deliver(1), mailbox.deliver(2), mailbox.deliver(3)], [...rest, undefined])
  }
})

test('forgetting a program that has its message leaves the others waiting', (t) => {
  const mailbox = new Mailbox<number>()
  const first = program()
  const second = program()
  mailbox.wait(first)
  mailbox.wait(second)
  t.is(mailbox.deliver(1), first)
  mailbox.forget(first)
  t.is(mailbox.deliver(2), second)
})

test('a cleared mailbox is empty', (t) => {
  const mailbox = new Mailbox<number>()
  mailbox.deliver(1)
  mailbox.clear()
  t.is(mailbox.take(), undefined)
})
