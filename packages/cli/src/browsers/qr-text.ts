/** QR codes for a terminal. */
import encodeQR from 'qr'

/** White modules around the code. The standard asks for four; phones read two. */
const border = 2

/**
 * A text as a QR code, two modules per character; undefined if it is wider than `columns`, or too long for any. Dark
 * modules are spaces: the lines are to be printed in white on black.
 */
export function qrText(text: string, columns: number): string | undefined {
  const rows = modulesOf(text)
  if (rows === undefined || rows[0].length > columns) return undefined
  const isLight = (row: number, column: number) => rows[row]?.[column] === false
  const lines: string[] = []
  for (let row = 0; row < rows.length; row += 2)
    lines.push(rows[row].map((_, column) => halves(isLight(row, column), isLight(row + 1, column))).join(''))
  return lines.join('\n')
}

const halves = (upper: boolean, lower: boolean): string => (upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ')

/** Rows of modules, true where dark. */
function modulesOf(text: string): boolean[][] | undefined {
  try {
    return encodeQR(text, 'raw', { ecc: 'low', border })
  } catch {
    return undefined
  }
}
