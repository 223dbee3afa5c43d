/**
 * The soak as a program. It prints one line of JSON when all is well, otherwise what is wrong, and how to reproduce it.
 */
import { messageOf } from '@murmuration/core'
import { commandOf, parseOptions } from './options.js'
import { Soak } from './soak.js'

try {
  const options = parseOptions(process.argv.slice(2))
  try {
    const summary = await new Soak(options).run()
    process.stdout.write(`${JSON.stringify(summary)}\n`)
  } catch (error) {
    process.stderr.write(`soak: ${messageOf(error)}\nto see it again: ${commandOf(options)}\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`soak: ${messageOf(error)}\n`)
  process.exitCode = 2
}
