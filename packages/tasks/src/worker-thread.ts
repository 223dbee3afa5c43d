/** The program of a task's thread in Node. */
import { InputError } from '@murmuration/core'
import { serveTask } from './serve-task.js'

function keepFromExiting(): void {
  const { exit } = process
  process.exit = refuseToExit
  // Node itself calls `process.exit` to end a thread after an uncaught error.
  process.once('uncaughtExceptionMonitor', () => {
    process.exit = exit
  })
}

/** If a user's module ended the thread, nothing would say where. */
function refuseToExit(code: number | string | null = 0): never {
  throw new InputError(`process.exit(${code}) is called, which does not end the run; throw an error instead`)
}

await serveTask({}, ({ userModule }) => {
  if (userModule !== undefined) keepFromExiting()
})
