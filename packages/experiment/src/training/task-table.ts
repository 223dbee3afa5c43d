import { tasks } from './tasks.js'

/** The table of tasks in docs/training-file.md. */
export function taskTable(): string {
  const rows = tasks.map(({ kind, options, description, learnsFromData }) => {
    const defaults = Object.entries(options.parse({})).map(
      ([name, value]) => `\`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\``
    )
    return `| \`${kind}\` | ${defaults.join(', ')} | ${learnsFromData ? 'yes' : 'no'} | ${description} |`
  })
  return [
    '| task | options and defaults | takes `data` | what |',
    '| --- | --- | --- | --- |',
    ...rows,
    '| `{ module: ./my-task.js }` | `options: …` | optional | [a model of your own](#a-model-of-your-own) |'
  ].join('\n')
}
