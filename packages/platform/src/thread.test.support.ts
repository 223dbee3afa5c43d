/** The thread of the contract: says what it was started with, then computes, or throws what nobody catches. */
import { ownThread } from '@murmuration/platform'

interface ThreadRequest {
  readonly kind: 'double' | 'fill' | 'throw'
  readonly numbers: Float32Array<ArrayBuffer>
}

const own = ownThread()
own.listen((message) => {
  const { kind, numbers } = message as ThreadRequest
  if (kind === 'throw') throw new Error('thrown by the thread')
  if (kind === 'fill') {
    numbers.fill(7)
    own.post('filled')
    return
  }
  const doubled = numbers.map((number) => 2 * number)
  own.post(doubled, [doubled.buffer])
})
own.post({ start: await own.start })
