import { bodyBytes, codecKinds, codecWords } from '@murmuration/vectors'

/** The table of codecs in docs/use/training-file.md. */
export function codecTable(): string {
  const count = 1e6
  const rows = codecKinds.map(({ description, parameter }, index) => {
    const word = codecWords[index]
    const bytes = bodyBytes(codecWords[index], count) / count
    const bound = parameter === undefined ? '' : 'at most '
    const what = parameter === undefined ? description : `${description}; the parameter is ${parameter.description}`
    return `| \`${word}\` | ${what} | ${bound}${Number(bytes.toFixed(3))} |`
  })
  return [
    '| codec | what is sent | bytes per number |',
    '| --- | --- | --- |',
    ...rows,
    '| `auto` | for each link, the most exact of float32, float16 and delta-int8 that takes at most half of a round at the measured speed | |'
  ].join('\n')
}
