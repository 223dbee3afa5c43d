import type { KernelProgram, WaitList } from './program.js'

/**
 * Messages that have arrived, and the programs that wait for one; at any time one of the two lists is empty. Each list
 * is created with its first item: a list that begins empty reserves room for 17.
 */
export class Mailbox<Message> implements WaitList {
  #messages: Message[] | undefined
  #waiting: KernelProgram[] | undefined

  /** Keeps the message, or returns the program that has waited longest and must receive it. */
  deliver(message: Message): KernelProgram | undefined {
    const program = firstOf(this.#waiting)
    if (program !== undefined) return program
    if (this.#messages === undefined) this.#messages = [message]
    else this.#messages.push(message)
    return undefined
  }

  /** The oldest message, if there is one. */
  take(): Message | undefined {
    return firstOf(this.#messages)
  }

  /** The program waits for the next message. */
  wait(program: KernelProgram): void {
    if (this.#waiting === undefined) this.#waiting = [program]
    else this.#waiting.push(program)
    program.waitList = this
  }

  /** The program that has waited longest, or longest for `waitsFor`, if one does. */
  first(waitsFor?: object): KernelProgram | undefined {
    if (waitsFor === undefined) return this.#waiting?.[0]
    return this.#waiting?.find((program) => program.waitsFor === waitsFor)
  }

  /** The program that waits, if it is the only one. */
  only(): KernelProgram | undefined {
    return this.#waiting?.length === 1 ? this.#waiting[0] : undefined
  }

  /** The program no longer waits. */
  forget(program: KernelProgram): void {
    if (this.#waiting === undefined || this.#waiting.length === 0) return
    const index = this.#waiting.indexOf(program)
    if (index === this.#waiting.length - 1) this.#waiting.pop()
    else if (index >= 0) this.#waiting.splice(index, 1)
  }

  /** Forgets all messages. */
  clear(): void {
    this.#messages = undefined
  }
}

/** Takes the first item; usually there is one or none. */
function firstOf<Item>(items: Item[] | undefined): Item | undefined {
  if (items === undefined || items.length === 0) return undefined
  return items.length > 1 ? items.shift() : items.pop()
}
