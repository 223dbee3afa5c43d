/** HTML as text: everything that is put into a template is escaped, unless it is HTML already. */

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/** Text for an element's content, or for an attribute in quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign])

/** HTML that is already escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Content = string | number | Html | readonly Content[]

/** A template whose values are escaped; lists of them are joined. */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)))
}

function textOf(value: Content): string {
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(textOf).join('') : escapeHtml(String(value))
}

/** JSON that is safe in a script element: no character in it can end the element or begin a comment. */
export function jsonForScript(value: unknown): Html {
  return new Html(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    )
  )
}
