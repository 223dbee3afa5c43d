/** What the names of a page's stores begin with: it has no directories. */
export function homeDirectory(): string {
  return 'murmuration'
}
