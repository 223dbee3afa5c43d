/** What given files contain, and what of it does not fit the run: said before anything is joined. */
import type { DroppedFile, SampleNeed } from '@murmuration/browser'
import { bytesText, countText } from '@murmuration/watch/page'

/** What was found in the given files. */
export interface SampleCheck {
  /** What the run gets: for images with the path `CLASS/FILE`. */
  readonly files: readonly DroppedFile[]
  /** What was found, as a sentence; undefined if nothing can be used. */
  readonly found: string | undefined
  /** What does not fit, a sentence each. */
  readonly problems: readonly string[]
}

/** The data that a person is asked for. */
export type WantedSamples = Exclude<SampleNeed, { readonly kind: 'none' }>

/** What of the files a run can use, with the test set that all its peers share. Hidden files are passed over. */
export async function checkSamples(given: readonly DroppedFile[], need: WantedSamples): Promise<SampleCheck> {
  const { test } = need
  const files = given.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')))
  const isTest = ({ path }: DroppedFile) => test !== undefined && path.split('/').includes(test)
  const own = files.filter((file) => !isTest(file))
  const check = await checkOwn(own, need)
  if (test === undefined) return check
  const tests = files.filter(isTest)
  if (tests.length === 0) {
    const problem = `All peers test on “${test}”: give it, too. Who invited you has it.`
    return { ...check, found: undefined, problems: [...check.problems, problem] }
  }
  const found = check.found && `${check.found}, and the test set “${test}”`
  return { ...check, files: [...check.files, ...tests], found }
}

async function checkOwn(files: readonly DroppedFile[], need: WantedSamples): Promise<SampleCheck> {
  if (need.kind === 'images') return checkImages(files, need)
  if (need.kind === 'table') return checkTables(files, need)
  return checkTexts(files)
}

const imageName = /\.(png|jpe?g)$/i
const otherImageName = /\.(webp|avif|hei[cf]|gif|tiff?|bmp)$/i

async function checkImages(given: readonly DroppedFile[], { classes }: WantedSamples): Promise<SampleCheck> {
  const outside: string[] = []
  const formats: string[] = []
  const others: string[] = []
  const unknown = new Set<string>()
  const counts = new Map<string, number>()
  const files: DroppedFile[] = []
  for (const { path, file } of given) {
    const folders = path.split('/')
    const name = folders.pop() ?? ''
    const label = folders.pop()
    if (otherImageName.test(name)) formats.push(path)
    else if (!imageName.test(name) || !(await isImage(file))) others.push(path)
    else if (label === undefined) outside.push(path)
    else if (classes !== undefined && !classes.includes(label)) unknown.add(label)
    else {
      files.push({ path: `${label}/${[...folders, name].join('-')}`, file })
      counts.set(label, (counts.get(label) ?? 0) + 1)
    }
  }
  const problems = [
    ...sentence(outside, 'in no folder: write above what such images show'),
    ...sentence(formats, 'an image that is neither PNG nor JPEG: convert it first'),
    ...sentence(others, 'no image, or damaged'),
    ...(unknown.size === 0
      ? []
      : [`The run has no class ${listed([...unknown])}; its classes are ${listed(classes ?? [])}.`])
  ]
  const perClass = [...counts].sort(([left], [right]) => (left < right ? -1 : 1))
  const found = `${plural(files.length, 'image')} of ${plural(counts.size, 'class', 'classes')}: ${perClass
    .map(([label, count]) => `${label} (${countText(count)})`)
    .join(', ')}`
  return { files, found: files.length === 0 ? undefined : found, problems }
}

/** Whether a file begins as PNG or JPEG files do. */
async function isImage(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return (first === 0x89 && second === 0x50) || (first === 0xff && second === 0xd8)
}

async function checkTables(given: readonly DroppedFile[], { columns = [] }: WantedSamples): Promise<SampleCheck> {
  const others = given.filter(({ path }) => !/\.csv$/i.test(path)).map(({ path }) => path)
  const problems = [...sentence(others, 'no CSV file')]
  const files: DroppedFile[] = []
  let rows = 0
  for (const each of given.filter(({ path }) => /\.csv$/i.test(path))) {
    const { header, lines } = await readLines(each.file)
    const missing = columns.filter((name) => !header.includes(name))
    if (missing.length > 0)
      problems.push(
        `${each.path} has no ${missing.length === 1 ? 'column' : 'columns'} ${listed(missing)} in its first line.`
      )
    else if (lines < 2) problems.push(`${each.path} has no rows below its first line.`)
    else {
      files.push(each)
      rows += lines - 1
    }
  }
  const found = `${plural(rows, 'row')} in ${plural(files.length, 'file')}`
  return { files, found: files.length === 0 ? undefined : found, problems }
}

/** The cells of the first line, and the number of lines that are not empty; a break in quotes ends none. */
async function readLines(file: Blob): Promise<{ readonly header: readonly string[]; readonly lines: number }> {
  let first = ''
  let lines = 0
  let isQuoted = false
  let isEmpty = true
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    for (const letter of value) {
      const isBreak = !isQuoted && (letter === '\n' || letter === '\r')
      if (isBreak && !isEmpty) lines++
      if (!isBreak && lines === 0 && first.length < 100_000) first += letter
      if (letter === '"') isQuoted = !isQuoted
      isEmpty = isBreak || (isEmpty && letter.trim() === '')
    }
  }
  const header = first.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return { header, lines: lines + (isEmpty ? 0 : 1) }
}

function checkTexts(given: readonly DroppedFile[]): SampleCheck {
  const isText = ({ path }: DroppedFile) => /\.(txt|text|md)$/i.test(path)
  const others = given.filter((each) => !isText(each)).map(({ path }) => path)
  const files = given.filter((each) => isText(each) && each.file.size > 0)
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  const found = `${bytesText(bytes)} of text in ${plural(files.length, 'file')}`
  return { files, found: files.length === 0 ? undefined : found, problems: sentence(others, 'no text file (.txt)') }
}

/** A sentence on files with the same problem, with the name of the first. */
function sentence(paths: readonly string[], problem: string): string[] {
  if (paths.length === 0) return []
  const more = paths.length === 1 ? '' : ` and ${plural(paths.length - 1, 'more file')}`
  return [`Left out: ${paths[0]}${more} (${problem}).`]
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

const listed = (names: readonly string[]): string =>
  names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`
