import type { Program, WaitList } from './kernel.js'

/** Messages that have arrived, and the programs that wait for one; at any time one of the two lists is empty. */
export class Mailbox<Message> implements WaitList {
  readonly #messages: Message[] = []
  readonly #waiting: Program[] = []

  /** Keeps the message, or gives back the program that has waited longest and is to have it. */
  deliver(message: Message): Program | undefined {
    const program = this.#waiting.shift()
    if (program === undefined) this.#messages.push(message)
    return program
  }

  /** The oldest message, if there is one. */
  take(): Message | undefined {
    return this.#messages.shift()
  }

  /** The program waits for the next message. */
  wait(program: Program): void {
    this.#waiting.push(program)
    program.waitList = this
  }

  /** The program that has waited longest, if one waits. */
  first(): Program | undefined {
    return this.#waiting[0]
  }

  /** The program does not wait any more. */
  forget(program: Program): void {
    const index = this.#waiting.indexOf(program)
    if (index >= 0) this.#waiting.splice(index, 1)
  }

  /** Forgets all messages. */
  clear(): void {
    this.#messages.length = 0
  }
}
