import type { Program, WaitList } from './program.js'

/** Messages that have arrived, and the programs that wait for one; at any time one of the two lists is empty. */
export class Mailbox<Message> implements WaitList {
  readonly #messages: Message[] = []
  readonly #waiting: Program[] = []

  /** Keeps the message, or gives back the program that has waited longest and is to have it. */
  deliver(message: Message): Program | undefined {
    if (this.#waiting.length > 0) return firstOf(this.#waiting)
    this.#messages.push(message)
    return undefined
  }

  /** The oldest message, if there is one. */
  take(): Message | undefined {
    return firstOf(this.#messages)
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
    const index = this.#waiting.length === 0 ? -1 : this.#waiting.indexOf(program)
    if (index >= 0) this.#waiting.splice(index, 1)
  }

  /** Forgets all messages. */
  clear(): void {
    this.#messages.length = 0
  }
}

/** Takes the first; mostly there is but one, or none. */
function firstOf<Item>(items: Item[]): Item | undefined {
  return items.length > 1 ? items.shift() : items.length === 1 ? items.pop() : undefined
}
