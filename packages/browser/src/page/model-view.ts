/** The model that was trained: saved, and tried on files. */
import type { DroppedFile, Prediction, Run } from '@murmuration/browser'
import { element, found, percentText, shortText } from '@murmuration/watch/page'
import { listenForFiles } from './given-files.js'
import { onPress, showAlert } from './views.js'

/** At most so many classes are shown, the most probable first. */
const shownClasses = 5

/** Lets a person save the model of a run, and try it. */
export function offerModel(run: Run): void {
  onPress('#save', async () => {
    try {
      save(await run.model(), `${run.card.run}.safetensors`)
      found('#saved').textContent = 'Saved: “murmur predict” and “murmur evaluate” read this file.'
    } catch (error) {
      showAlert(`The model cannot be saved: ${textOf(error)}`)
    }
  })
  listenForFiles(found('#try'), ([given]) => void tryOn(run, given), showProblem)
}

function save(file: Blob, name: string): void {
  const href = URL.createObjectURL(file)
  element('a', { href, download: name.replace(/[^\w.-]+/g, '-') }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}

async function tryOn(run: Run, { path, file }: DroppedFile): Promise<void> {
  const place = found('#prediction')
  place.replaceChildren(element('p', {}, 'Computing…'))
  try {
    const prediction = await run.predict(file, path)
    place.replaceChildren(...pictureOf(path, file), ...answerOf(path, prediction))
  } catch (error) {
    showProblem(error)
  }
}

function showProblem(error: unknown): void {
  found('#prediction').replaceChildren(element('p', { class: 'wrong' }, textOf(error)))
}

function pictureOf(path: string, file: Blob): Node[] {
  if (!/\.(png|jpe?g)$/i.test(path)) return []
  const image = element('img', { alt: path })
  image.src = URL.createObjectURL(file)
  image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true })
  return [image]
}

function answerOf(path: string, { classes, decision, values = [] }: Prediction): Node[] {
  if (classes === undefined)
    return [element('p', {}, `${path}: ${decision ?? ''} ${values.map((value) => shortText(value)).join(' ')}`)]
  const shown = classes.slice(0, shownClasses)
  return [
    element('p', {}, 'It is probably ', element('strong', {}, shown[0].name), '.'),
    element(
      'div',
      { class: 'guess' },
      ...shown.flatMap(({ name, probability }) => [
        element('span', {}, name),
        element('meter', { 'min': '0', 'max': '1', 'value': `${probability}`, 'aria-label': name }),
        element('span', { class: 'share' }, percentText(probability))
      ])
    )
  ]
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
