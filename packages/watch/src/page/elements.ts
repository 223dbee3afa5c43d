/** Elements of the page. Text is inserted as text, never as HTML. */

/** A new element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/** An element of the initial page. */
export function found<Kind extends Element>(selector: string): Kind {
  const element = document.querySelector<Kind>(selector)
  if (element === null) throw new Error(`the page has no ${selector}`)
  return element
}

/** A colour of the style sheet, in the reader's light or dark scheme. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

/** Sets the size of a canvas in CSS pixels, sharp on any screen. */
export function prepared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio
  const wide = Math.round(width * ratio)
  const high = Math.round(height * ratio)
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide
    canvas.height = high
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser cannot draw on a canvas')
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  return context
}
