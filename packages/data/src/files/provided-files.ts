/** A file that a page was given, such as one that was dropped on it. */
export interface ProvidedFile {
  /** Relative, with slashes: `cats/1.png`. */
  readonly path: string
  readonly file: Blob
}

let provided: readonly ProvidedFile[] = []

/** Sets the files of a page, which has no disk: data sets with paths, such as `.` for all, are read from these. */
export function provideFiles(files: readonly ProvidedFile[]): void {
  provided = files
}

/** What {@link provideFiles} was last called with; empty in Node. */
export function providedFiles(): readonly ProvidedFile[] {
  return provided
}
