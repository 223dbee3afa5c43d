import type { Stream } from '@libp2p/interface'
import { bodyOf, encodeHeader } from '@murmuration/vectors'
import { Uint8ArrayList } from 'uint8arraylist'
import type { Bell } from './bell.js'
import { pieceBytes } from './constants.js'
import type { QueuedFrame, SendQueue } from './send-queue.js'
import type { TrafficMeter } from './traffic.js'

/**
 * Writes the frames of `queue` as they may go out, until the stream is closed, and then throws.
 *
 * @param bell - rung when there may be another frame to write
 */
export async function writeFrames(stream: Stream, queue: SendQueue, bell: Bell, meter: TrafficMeter): Promise<never> {
  const wake = () => bell.ring()
  stream.addEventListener('close', wake)
  try {
    for (;;) {
      if (stream.status !== 'open') throw new Error('the stream of vectors was closed')
      const frame = queue.next()
      if (frame === undefined) await bell.wait()
      else await writeFrame(stream, frame, meter)
    }
  } finally {
    stream.removeEventListener('close', wake)
  }
}

async function writeFrame(stream: Stream, frame: QueuedFrame, meter: TrafficMeter): Promise<void> {
  const header = encodeHeader(frame.message, frame.sequence)
  const body = bodyOf(frame.message.vector)
  // The header goes out with the first piece: what is sent alone comes back as a window of its size, and from then on
  // yamux cuts the stream into crumbs.
  const first = pieceBytes - header.byteLength
  await write(stream, new Uint8ArrayList(header, body.subarray(0, first)), meter)
  for (let offset = first; offset < body.byteLength; offset += pieceBytes) {
    await write(stream, body.subarray(offset, offset + pieceBytes), meter)
  }
  if (frame.written) {
    meter.retransmissions++
  } else {
    meter.sentFrames++
    meter.sentPayload += body.byteLength
  }
  frame.written = true
}

/** Sends a piece and waits until no more than one piece is left in libp2p's buffer. A wait ends when the stream does. */
async function write(stream: Stream, piece: Uint8Array | Uint8ArrayList, meter: TrafficMeter): Promise<void> {
  stream.send(piece)
  meter.sentBytes += piece.byteLength
  while (stream.writeBufferLength > pieceBytes) await room(stream)
}

/**
 * Resolves when the stream has written something, rejects when it is closed. Not `stream.onDrain()`, whose promise stays
 * resolved after the first time.
 */
function room(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      stream.removeEventListener('drain', ready)
      stream.removeEventListener('idle', ready)
      stream.removeEventListener('close', gone)
      act()
    }
    const ready = () => settle(resolve)
    const gone = () => settle(() => reject(new Error('the stream of vectors was closed')))
    stream.addEventListener('drain', ready)
    stream.addEventListener('idle', ready)
    stream.addEventListener('close', gone)
  })
}
