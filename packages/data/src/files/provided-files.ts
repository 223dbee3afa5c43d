/** A file that a page was given, such as one that was dropped on it. */
export interface ProvidedFile {
  /** Relative, with slashes: `cats/1.png`. */
  readonly path: string
  readonly file: Blob
}

let provided: readonly ProvidedFile[] = []

/** The files by their paths, and the names in each folder. */
export const places = { files: new Map<string, Blob>(), folders: new Map<string, Set<string>>() }

/** Sets the files of a page, which has no disk: data sets with paths, such as `.` for all, are read from these. */
export function provideFiles(files: readonly ProvidedFile[]): void {
  provided = files
  places.files.clear()
  places.folders.clear()
  for (const { path, file } of files) {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.')
    places.files.set(parts.join('/'), file)
    for (const [depth, name] of parts.entries()) {
      const folder = parts.slice(0, depth).join('/') || '.'
      places.folders.set(folder, (places.folders.get(folder) ?? new Set()).add(name))
    }
  }
}

/** What {@link provideFiles} was last called with; empty in Node. */
export function providedFiles(): readonly ProvidedFile[] {
  return provided
}
