import type { Envelope } from '@murmuration/core'

type Wake<Message> = (envelope: Envelope<Message>) => void

/** Messages that have arrived, and the activities that wait for one; at any time one of the two lists is empty. */
export class Mailbox<Message> {
  readonly #messages: Envelope<Message>[] = []
  readonly #waiting: Wake<Message>[] = []

  /** Hands the message to the activity that has waited longest, or keeps it. */
  deliver(envelope: Envelope<Message>): void {
    const wake = this.#waiting.shift()
    if (wake === undefined) this.#messages.push(envelope)
    else wake(envelope)
  }

  /** The oldest message, if there is one. */
  take(): Envelope<Message> | undefined {
    return this.#messages.shift()
  }

  /** Has `wake` called with the next message. The function that is returned gives up waiting. */
  wait(wake: Wake<Message>): () => void {
    this.#waiting.push(wake)
    return () => {
      const index = this.#waiting.indexOf(wake)
      if (index >= 0) this.#waiting.splice(index, 1)
    }
  }
}
