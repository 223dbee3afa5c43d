import { ownModelRate } from './default-rate.js'
import { tasks } from './tasks.js'

/** The table of tasks in docs/use/training-file.md. */
export function taskTable(): string {
  const rows = tasks.map(({ kind, options, description, learnsFromData, rate, rateOfSmall = rate }) => {
    const defaults = Object.entries(options.parse({})).map(
      ([name, value]) => `\`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\``
    )
    return `| \`${kind}\` | ${defaults.join(', ')} | ${learnsFromData ? 'yes' : 'no'} | ${rateOfSmall === rate ? rate : `${rateOfSmall}; ${rate} for files`} | ${description} |`
  })
  return [
    '| task | options and defaults | takes `data` | `rate` | what |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    `| \`{ module: ./my-task.js }\` | \`options: …\` | optional | ${ownModelRate} | [a model of your own](#a-model-of-your-own) |`
  ].join('\n')
}
