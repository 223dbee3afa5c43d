/** Throws where a name is not that of a file in a folder. */
export function checkName(name: string): void {
  if (/^[^./\\][^/\\]*$/.test(name)) return
  throw new Error(`a file's name is "${name}", expected one without slashes that does not begin with a dot`)
}
