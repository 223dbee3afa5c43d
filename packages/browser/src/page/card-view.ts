/** What a run is and what it asks for, before anything is joined; the data that a person gives it. */
import type { DroppedFile, RunCard } from '@murmuration/browser'
import { countText, element, found, namesText } from '@murmuration/watch/page'
import { canStayAwake } from './awake.js'
import { listenForFiles } from './given-files.js'
import { checkSamples, type WantedSamples } from './sample-check.js'
import { showAlert, showItems, showTerms } from './views.js'

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

/** Fills the card, and calls `join` with what the person gave once they join. */
export function showCard(card: RunCard, join: (samples: readonly DroppedFile[] | undefined) => void): void {
  const { run, place, expires, task, model, parameters, algorithm, rounds, peers, samples, leaves } = card
  found('#card h2').textContent = `You are invited as “${place}”`
  showTerms('#facts', [
    ['What is learned', task],
    ['Model', parameters === undefined ? model : `${model} (${countText(parameters)} numbers)`],
    ['Trained by', namesText(peers)],
    ['How', `${algorithm}, ${countText(rounds)} rounds`],
    ['Link valid until', when.format(expires)],
    ['Key of the run', `${run.slice(0, 12)}…${run.slice(-6)}`]
  ])
  showItems('#leaves', leaves)
  found<HTMLElement>('#awake-line').hidden = !canStayAwake
  const button = found<HTMLButtonElement>('#join')
  let given: readonly DroppedFile[] | undefined
  button.addEventListener('click', () => {
    button.disabled = true
    join(given)
  })
  if (samples.kind === 'none') return hint('The run has data for this tab: nothing is needed from you.')
  button.disabled = true
  takeSamples(samples, (usable) => {
    given = usable
    button.disabled = usable === undefined
  })
}

/** Shows what data a run needs, and calls `use` with what was given, or undefined as long as nothing fits. */
function takeSamples(need: WantedSamples, use: (samples: readonly DroppedFile[] | undefined) => void): void {
  found<HTMLElement>('#samples').hidden = false
  const common = need.test === undefined ? '' : ` It needs the test set that all peers share, too: “${need.test}”.`
  found('#wanted').textContent =
    `${wantedText(need)}${common} Your files stay on this device: this tab trains on them here.`
  found<HTMLElement>('#folder-label').hidden = need.kind !== 'images' || !canChooseFolders
  found<HTMLElement>('#label-line').hidden = need.kind !== 'images'
  found('#labels').replaceChildren(...(need.classes ?? []).map((name) => element('option', { value: name })))
  const clear = found<HTMLButtonElement>('#clear')
  // By path: files may be given in several goes, as by a phone, which has no folders to choose.
  const all = new Map<string, DroppedFile>()
  const check = async () => {
    use(undefined)
    const { files, found: text, problems } = await checkSamples([...all.values()], need)
    use(text === undefined ? undefined : files)
    clear.hidden = all.size === 0
    hint(text === undefined ? 'First give the data that this tab trains on.' : '')
    const said = text === undefined ? 'Nothing that fits was found.' : `Found ${text}.`
    found('#inspection').replaceChildren(
      ...(all.size === 0 ? [] : [element('p', {}, said)]),
      element('ul', {}, ...problems.map((problem) => element('li', { class: 'warn' }, problem)))
    )
  }
  const take = (files: readonly DroppedFile[]) => {
    const label = found<HTMLInputElement>('#label').value.trim().replaceAll('/', '')
    for (const { path, file } of files) {
      const named = need.kind !== 'images' || label === '' || path.includes('/') ? path : `${label}/${path}`
      all.set(named, { path: named, file })
    }
    found('#inspection').replaceChildren(element('p', {}, 'Reading…'))
    check().catch(showUnread)
  }
  clear.addEventListener('click', () => {
    all.clear()
    void check()
  })
  hint('First give the data that this tab trains on.')
  listenForFiles(found('#give'), take, showUnread)
}

/** Phones let people choose files, but no folders. */
const canChooseFolders = matchMedia('(pointer: fine)').matches

function showUnread(error: unknown): void {
  found('#inspection').replaceChildren()
  showAlert(`The files cannot be read: ${error instanceof Error ? error.message : String(error)}`)
}

function hint(text: string): void {
  found('#join-hint').textContent = text
}

function wantedText({ kind, classes, columns }: WantedSamples): string {
  if (kind === 'text') return 'The run needs texts: files that end in .txt.'
  if (kind === 'table') {
    const which =
      columns === undefined ? '' : `, with ${columns.length === 1 ? 'a column' : 'columns'} ${columns.join(', ')}`
    return `The run needs a table: a CSV file whose first line names its columns${which}.`
  }
  const which = classes === undefined ? '' : `; the folders are called ${classes.join(', ')}`
  return `The run needs images (PNG or JPEG) in folders: the name of a folder says what its images show${which}.`
}
