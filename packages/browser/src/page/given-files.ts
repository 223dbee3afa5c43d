/** Files that a person drops on the page or chooses, with their folders. */
import type { DroppedFile } from '@murmuration/browser'

/** The most files that are read of what was given. */
export const maxFiles = 100_000

/** Calls `take` with what is dropped on `place`, or chosen with the inputs in it; `fail` if it cannot be read. */
export function listenForFiles(
  place: HTMLElement,
  take: (files: readonly DroppedFile[]) => void,
  fail: (error: unknown) => void
): void {
  const over = (is: boolean) => place.classList.toggle('over', is)
  place.addEventListener('dragover', (event) => {
    event.preventDefault()
    over(true)
  })
  place.addEventListener('dragleave', () => over(false))
  place.addEventListener('drop', (event) => {
    event.preventDefault()
    over(false)
    if (event.dataTransfer !== null) droppedIn(event.dataTransfer).then(take, fail)
  })
  for (const input of place.querySelectorAll('input'))
    input.addEventListener('change', () => {
      const files = [...(input.files ?? [])].slice(0, maxFiles)
      if (files.length > 0) take(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })))
      // So that the same file can be chosen again.
      input.value = ''
    })
}

/** All files of a drop, those in folders too. */
async function droppedIn({ items }: DataTransfer): Promise<readonly DroppedFile[]> {
  // Entries are gone once the event is over, so all are asked for before the first wait.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found: DroppedFile[] = []
  for (const entry of entries) await addEntry(entry, found)
  return found
}

async function addEntry(entry: FileSystemEntry, found: DroppedFile[]): Promise<void> {
  if (found.length >= maxFiles) return
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    found.push({ path: entry.fullPath.replace(/^\//, ''), file })
  } else if (isFolder(entry)) {
    const reader = entry.createReader()
    for (;;) {
      // It gives a hundred entries at a time, and none at the end.
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (some.length === 0) return
      for (const each of some) await addEntry(each, found)
    }
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
