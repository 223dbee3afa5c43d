import test from 'ava'
import decodeQR from 'qr/decode.js'
import { qrText } from './qr-text.js'

/** A photo of what a terminal shows, in white on black, 4 pixels per module. */
function photo(code: string): { readonly width: number; readonly height: number; readonly data: Uint8Array } {
  const scale = 4
  const rows = code
    .split('\n')
    .flatMap((line) => [
      [...line].map((character) => '█▀'.includes(character)),
      [...line].map((character) => '█▄'.includes(character))
    ])
  const width = rows[0].length * scale
  const data = rows.flatMap((row) =>
    Array.from({ length: scale }, () => row.flatMap((isLight) => Array(scale * 3).fill(isLight ? 255 : 0))).flat()
  )
  return { width, height: rows.length * scale, data: Uint8Array.from(data as number[]) }
}

test('a phone reads a link from a terminal', (t) => {
  const link = `http://192.168.1.5:4280/#join=murmur1.${'aB3-_'.repeat(80)}`
  const code = qrText(link, 200) ?? ''
  t.is(decodeQR(photo(code)), link)
})

test('a QR code that is wider than the window, or too long for any, is not drawn', (t) => {
  const width = (qrText('http://192.168.1.5:4280/', 200) ?? '').split('\n')[0].length
  t.not(qrText('http://192.168.1.5:4280/', width), undefined)
  t.is(qrText('http://192.168.1.5:4280/', width - 1), undefined)
  t.is(qrText('x'.repeat(4000), 1000), undefined)
})
