import { isBrowser, type ThreadProgram } from '@murmuration/platform'

/** In Node, the file beside this one. */
let program: ThreadProgram | undefined = isBrowser ? undefined : new URL(import.meta.resolve('./worker-thread.js'))

/** Sets what starts a page's threads for tasks: a function that starts a worker, whose program calls `serveTask`. */
export function setTaskProgram(start: () => object): void {
  program = start
}

export function taskProgram(): ThreadProgram {
  if (program === undefined) throw new Error('this page has no program for tasks; call setTaskProgram first')
  return program
}
