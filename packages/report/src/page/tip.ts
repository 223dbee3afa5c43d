/** Text next to the pointer. */

interface TipOptions {
  readonly maxRadius?: number
}

/** The text of the datum that is nearest to the pointer, within `maxRadius` pixels (default 40). */
export function tipMark<Datum>(
  data: readonly Datum[],
  x: (datum: Datum) => number,
  y: (datum: Datum) => number | string,
  text: (datum: Datum) => string,
  { maxRadius = 40 }: TipOptions = {}
) {
  return Plot.tip(data, Plot.pointer({ x, y, title: text, maxRadius, lineHeight: 1.3, lineWidth: 40 }))
}
