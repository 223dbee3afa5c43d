/** From a link to a trained model: what the page shows, in its order. */
import type { DroppedFile, Run, RunOptions } from '@murmuration/browser'
import { found } from '@murmuration/watch/page'
import { canStayAwake, stayAwake } from './awake.js'
import { showCard } from './card-view.js'
import { keepLink, linkIn, takeLink } from './link.js'
import { mayAsk } from './network-question.js'
import { onGone, watchSurroundings } from './surroundings.js'
import { onPress, showAlert, showItems, showState, showView } from './views.js'

/** Set while this tab is in a run, so that a reload goes on with it. */
const joined = 'murmuration-joined'

/** Opens the run of a link; rejects with an Error whose message is a sentence. */
export type OpenRun = (link: string, options: RunOptions) => Promise<Run>

/** Shows the page. */
export async function startPage(open: OpenRun): Promise<void> {
  found('#paste').addEventListener('submit', (event) => {
    event.preventDefault()
    const link = linkIn(found<HTMLInputElement>('#link').value)
    if (link === undefined)
      return showAlert('This is no link to a run: it has “#join=” and a long line that begins with “murmur”.')
    keepLink(link)
    location.reload()
  })
  for (const selector of ['#retry', '#again']) onPress(selector, () => location.reload())
  showDevice()
  addEventListener('hashchange', () => location.reload())
  const link = takeLink()
  if (link === undefined) return showView('no-link', 'no link')
  if (await mayAsk()) {
    showView('network', 'not connected')
    await new Promise<void>((resolve) => onPress('#connect', resolve))
  }
  await opened(open, link)
}

async function opened(open: OpenRun, link: string): Promise<void> {
  showView('opening', 'connecting')
  let run: Run
  try {
    run = await open(link, { onSearch: (text) => (found('#opening-more').textContent = text) })
  } catch (error) {
    return refuse(textOf(error))
  }
  showDevice(run)
  const { card } = run
  document.title = `${card.place}: Murmuration`
  const join = (samples: readonly DroppedFile[] | undefined) =>
    void train(run, samples).catch((error: unknown) => showAlert(textOf(error)))
  showCard(card, join)
  if (sessionStorage.getItem(joined) === card.place && card.samples.kind === 'none') return join(undefined)
  showView('card', 'invited')
}

function refuse(reason: string): void {
  found('#no-link h2').textContent = 'This link does not open a run'
  found('#reason').textContent = reason
  found<HTMLElement>('#retry-line').hidden = false
  showView('no-link', 'not connected', 'wrong')
}

async function train(run: Run, samples: readonly DroppedFile[] | undefined): Promise<void> {
  showAlert('')
  showView('training', 'joining')
  // What draws and tries comes after the first view: it is large.
  const [{ TrainingView, showNote }, { offerModel }] = await Promise.all([
    import('./training-view.js'),
    import('./model-view.js')
  ])
  const view = new TrainingView(run)
  offerModel(run)
  const sleep = wantsAwake() ? stayAwake() : undefined
  let end: 'left' | 'gone' | undefined
  let isTraining = true
  const leave = async (how: 'left' | 'gone') => {
    end = how
    if (isTraining) await run.leave()
  }
  sessionStorage.setItem(joined, run.card.place)
  onPress('#leave', () => {
    showState('leaving')
    return leave('left')
  })
  onGone(() => void leave('gone'))
  watchSurroundings(() => isTraining, showNote)
  void keepFiles()
  let error: unknown
  try {
    await run.join(samples)
  } catch (reason) {
    error = reason
  }
  isTraining = false
  sleep?.()
  // A tab that is reloaded goes on with the run.
  if (end !== 'gone') sessionStorage.removeItem(joined)
  if (end === 'left')
    view.end('You left the run', `The others go on without this tab. ${view.figures}`, { state: 'left' })
  else if (error === undefined) view.end('The model is trained', view.figures, { state: 'finished', tone: 'good' })
  else view.end('The training ended early', textOf(error), { state: 'ended', tone: 'wrong' })
}

/** Has the browser keep all files of the page: the peer that serves them may end with the run, before a prediction. */
async function keepFiles(): Promise<void> {
  try {
    const beside = (name: string) => new URL(name, import.meta.url)
    const names = (await (await fetch(beside('files.json'))).json()) as readonly string[]
    for (const name of names) await (await fetch(beside(name))).arrayBuffer()
  } catch {
    // Then a prediction may find a file missing, and says so.
  }
}

const wantsAwake = () => canStayAwake && found<HTMLInputElement>('#awake').checked

/** What this tab computes and signs with. */
function showDevice(run?: Run): void {
  const memory = crossOriginIsolated
    ? 'Shared memory: yes'
    : 'Shared memory: no, so that numbers are copied between this page and its worker'
  const key =
    run === undefined
      ? []
      : [keyTexts[run.device.key], `Computes with: ${backendNames[run.device.backend] ?? run.device.backend}`]
  showItems('#device', [...key, memory])
}

const backendNames: Readonly<Record<string, string>> = { wasm: 'WebAssembly', webgpu: 'WebGPU', webgl: 'WebGL' }

const keyTexts = {
  webcrypto: 'Key of this tab: kept by the browser (WebCrypto); no page can read it',
  seed: 'Key of this tab: kept as data of this page'
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
