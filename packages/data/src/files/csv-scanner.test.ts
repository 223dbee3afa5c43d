import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { parse } from 'csv-parse/sync'
import { CsvScanner } from './csv-scanner.js'
import { maxColumns } from './table.js'

const scannerOf = (text: string) => new CsvScanner('a.csv', Buffer.from(text))

/** The records of a text, or the error. */
function scanned(text: string): readonly (readonly string[])[] | 'refused' {
  const scanner = scannerOf(text)
  const records: (readonly string[])[] = []
  try {
    while (scanner.next()) records.push(scanner.texts())
    return records
  } catch (error) {
    if (error instanceof InputError) return 'refused'
    throw error
  }
}

function parsed(text: string): readonly (readonly string[])[] | 'refused' {
  try {
    return parse(text, { trim: true, skip_empty_lines: true, relax_column_count: true })
  } catch {
    return 'refused'
  }
}

const parts = ['a', '1', '-2.5', 'ä', ' ', '\t', '\u00a0', ',', ',', ',', '"', '""', '"b"', '"c,\n"']

for (const [name, lineBreak, other] of [
  ['LF', '\n', '\r'],
  ['CR LF', '\r\n', '\n'],
  ['CR', '\r', ' ']
] as const) {
  test(`records that end with ${name} are those of csv-parse, or both refuse a text`, (t) => {
    const random = createRandom(1, name)
    const counts = { same: 0, refused: 0 }
    for (let n = 0; n < 3000; n++) {
      const texts = Array.from({ length: random.integer(12) }, () => {
        const kind = random.integer(12)
        return kind < 3 ? lineBreak : kind === 3 ? other : parts[random.integer(parts.length)]
      })
      // The first line break decides what ends a record.
      const text = `x${lineBreak}${texts.join('')}`
      // Here csv-parse ends or joins cells in its own way.
      if (/"\s+"|"\s*\u00a0/.test(text)) continue
      const found = scanned(text)
      t.deepEqual(found, parsed(text), JSON.stringify(text))
      counts[found === 'refused' ? 'refused' : 'same']++
    }
    t.true(counts.same > 1000 && counts.refused > 100, JSON.stringify(counts))
  })
}

test('a cell of digits is the number that it is as text, bit for bit', (t) => {
  const random = createRandom(1, 'numbers')
  const draw = () => `${random.integer(2) === 0 ? '-' : ''}${random.uniform() * 10 ** random.integer(9)}`
  const texts = ['0', '-0', '5.', '.5', '-.25', '007', '123456789012345', '0.000000000000001', '4.35', '1.005']
  const all = [...texts, ...Array.from({ length: 2000 }, () => draw().slice(0, 1 + random.integer(18)))]
  const scanner = scannerOf(all.join(','))
  scanner.next()
  let plain = 0
  for (const [column, text] of all.entries()) {
    const found = scanner.plainNumber(column)
    if (Number.isNaN(found)) continue
    plain++
    t.true(Object.is(found, Number(text)), text)
  }
  t.true(plain > 1000)
  for (const text of ['', '-', '.', '1e3', '0x10', '1_000', '+1', 'Infinity', '1.2.3', '1234567890123456', '1-2']) {
    const other = scannerOf(`${text},`)
    other.next()
    t.is(other.plainNumber(0), Number.NaN, text)
  }
})

test('a record is at the line in which it ends, also after line breaks in quotes', (t) => {
  const scanner = scannerOf('a\r\n\r\n"b\r\nc\n",d\r\n e\r\n')
  const lines = []
  while (scanner.next()) lines.push([scanner.line, scanner.width])
  t.deepEqual(lines, [
    [1, 1],
    [5, 2],
    [6, 1]
  ])
})

const wrong: readonly (readonly [string, string, RegExp])[] = [
  ['a quote within a cell', 'a\n1,b"c', /a\.csv: line 2, column 2 has a quote within/],
  ['text after a closing quote', 'a\n"b"c', /line 2, column 1 continues after a closing quote/],
  ['a quote that is not closed', 'a\n1,"b\n\n', /line 2, column 2 begins with a quote that is not closed/],
  [
    'a cell that is too long',
    `1,${'a'.repeat(2 ** 16 + 1)}`,
    /line 1, column 2 has 65537 bytes, expected at most 65536/
  ],
  ['a line of too many cells', ','.repeat(maxColumns), /line 1 has more than 1048576 cells/]
]
for (const [what, text, message] of wrong) {
  test(`${what} is refused`, (t) => {
    const scanner = scannerOf(text)
    t.throws(
      () => {
        while (scanner.next()) scanner.texts()
      },
      { instanceOf: InputError, message }
    )
  })
}
