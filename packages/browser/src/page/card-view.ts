/** What a run is and what it asks for, before anything is joined; the data that a person gives it. */
import type { DroppedFile, RunCard, SampleNeed } from '@murmuration/browser'
import { countText, element, found, namesText } from '@murmuration/watch/page'
import { canStayAwake } from './awake.js'
import { listenForFiles } from './given-files.js'
import { checkSamples } from './sample-check.js'
import { showAlert, showItems, showTerms } from './views.js'

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

/** Fills the card, and calls `join` with what the person gave once they join. */
export function showCard(card: RunCard, join: (samples: readonly DroppedFile[] | undefined) => void): void {
  const { run, place, expires, task, model, parameters, algorithm, rounds, peers, samples, leaves } = card
  found('#card h2').textContent = `You are invited as “${place}”`
  showTerms('#facts', [
    ['Run', run],
    ['What is learned', task],
    ['Model', parameters === undefined ? model : `${model} (${countText(parameters)} numbers)`],
    ['Trained by', namesText(peers)],
    ['How', `${algorithm}, ${countText(rounds)} rounds`],
    ['Link valid until', when.format(expires)]
  ])
  showItems('#leaves', leaves)
  found<HTMLElement>('#awake-line').hidden = !canStayAwake
  let given: readonly DroppedFile[] | undefined
  const button = found<HTMLButtonElement>('#join')
  button.addEventListener('click', () => {
    button.disabled = true
    join(given)
  })
  if (samples.kind === 'none') return hint('The run has data for this tab: nothing is needed from you.')
  found<HTMLElement>('#samples').hidden = false
  found('#wanted').textContent = `${wantedText(samples)} Your files stay on this device: this tab trains on them here.`
  found<HTMLElement>('#folder-label').hidden = samples.kind !== 'images' || !canChooseFolders
  const wait = () => {
    button.disabled = true
    hint('First give the data that this tab trains on.')
  }
  wait()
  listenForFiles(
    found('#give'),
    (files) => {
      wait()
      found('#inspection').replaceChildren(element('p', {}, 'Reading…'))
      checkSamples(files, samples).then((check) => {
        given = check.files
        button.disabled = check.found === undefined
        hint(check.found === undefined ? 'None of this can be used.' : '')
        const problems = check.problems.map((text) => element('li', { class: 'warn' }, text))
        found('#inspection').replaceChildren(
          element('p', {}, check.found === undefined ? 'Nothing that fits was found.' : `Found ${check.found}.`),
          element('ul', {}, ...problems)
        )
      }, showUnread)
    },
    showUnread
  )
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

function wantedText({ kind, classes, columns }: Exclude<SampleNeed, { readonly kind: 'none' }>): string {
  if (kind === 'text') return 'The run needs texts: files that end in .txt.'
  if (kind === 'table') {
    const which = columns === undefined ? '' : `, with the columns ${columns.join(', ')}`
    return `The run needs a table: a CSV file whose first line names the columns${which}.`
  }
  const which = classes === undefined ? '' : `; the folders are called ${classes.join(', ')}`
  return `The run needs images (PNG or JPEG) in folders: the name of a folder says what its images show${which}.`
}
