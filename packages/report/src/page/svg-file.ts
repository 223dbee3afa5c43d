/** A chart as a file. */

/** What the page's style sheet says of parts of a chart, and a file must say itself. */
const styles = ['color', 'fill', 'font-family', 'font-size', 'font-weight', 'stroke', 'stroke-dasharray']

/** The text of an SVG file that looks as the chart does now, on the page's background. */
export function svgOf(chart: Element): string {
  const copy = chart.cloneNode(true) as SVGElement
  const parts = [...copy.querySelectorAll<SVGElement>('*')]
  for (const [index, part] of [...chart.querySelectorAll('*')].entries()) copyStyle(part, parts[index])
  copyStyle(chart, copy)
  copy.style.background = getComputedStyle(document.body).backgroundColor
  return new XMLSerializer().serializeToString(copy)
}

function copyStyle(from: Element, to: SVGElement): void {
  const computed = getComputedStyle(from)
  for (const name of styles) {
    if (to.getAttribute(name)?.startsWith('var(') === true) to.removeAttribute(name)
    to.style.setProperty(name, computed.getPropertyValue(name))
  }
}
