/** What a person sees while this tab trains, and the end of it. */
import type { PeerView, Run, RunEvent, RunPhase } from '@murmuration/browser'
import { bytesText, countText, dash, element, found, percentText, shortText } from '@murmuration/watch/page'
import { Curves } from './curves.js'
import { showState, showTerms, showView } from './views.js'

/** The most messages that are shown. */
const maxNotes = 200

/** The states of links that do not work. */
const broken = ['dead', 'silent', 'absent', 'barred', 'isolated', 'partitioned']

const tones: Readonly<Record<RunPhase, string>> = {
  connecting: '',
  admitted: '',
  loading: '',
  training: 'good',
  waiting: 'warn',
  finished: 'good',
  left: '',
  ended: 'wrong'
}

/** Shows the events of a run. */
export class TrainingView {
  readonly #place: string
  readonly #rounds: number
  readonly #curves = new Curves()
  #step: Extract<RunEvent, { readonly kind: 'step' }> | undefined
  #accuracy: number | undefined
  #peers: readonly PeerView[] = []

  constructor(run: Run) {
    this.#place = run.card.place
    this.#rounds = run.card.rounds
    run.on((event) => this.#take(event))
    showView('training', 'joining')
    this.#showTiles()
  }

  /** The end of training: `text` says how it ended. */
  end(title: string, text: string, { state, tone = '' }: { readonly state: string; readonly tone?: string }): void {
    const hasModel = this.#step !== undefined
    found('#training h2').textContent = title
    found('#phase').textContent = hasModel ? '' : text
    found('#summary').textContent = text
    for (const id of ['rounds', 'meanwhile', 'leave-line']) found<HTMLElement>(`#${id}`).hidden = true
    found<HTMLElement>('#over').hidden = !hasModel
    found<HTMLElement>('#again-line').hidden = state === 'finished'
    document.title = `${title}: Murmuration`
    showView('training', state, tone)
  }

  /** The figures of the end, as a sentence; '' before the first round. */
  get figures(): string {
    if (this.#step === undefined) return ''
    const accuracy = this.#accuracy === undefined ? '' : `, accuracy ${percentText(this.#accuracy)}`
    return `${countText(this.#step.round)} rounds: loss ${shortText(this.#step.loss)}${accuracy}.`
  }

  #take(event: RunEvent): void {
    if (event.kind === 'phase') {
      showState(event.phase, tones[event.phase])
      if (found('#phase').textContent !== event.text) found('#phase').textContent = event.text
    } else if (event.kind === 'step') {
      this.#step = event
      this.#accuracy = event.accuracy ?? this.#accuracy
      this.#curves.add(event.round, event.loss, event.accuracy)
      found<HTMLProgressElement>('#rounds').value = event.rounds === 0 ? 0 : event.round / event.rounds
      document.title = `${this.#place}: round ${countText(event.round)} of ${countText(event.rounds)}`
    } else if (event.kind === 'peers') {
      this.#peers = event.peers
      showPeers(event.peers)
    } else showNote(event.text)
    this.#showTiles()
  }

  #showTiles(): void {
    const { round = 0, rounds = this.#rounds, loss } = this.#step ?? {}
    const total = (of: 'sent' | 'received') => bytesText(this.#peers.reduce((sum, peer) => sum + peer[of], 0))
    showTerms('#tiles', [
      ['round', countText(round), ` of ${countText(rounds)}`],
      ['loss', shortText(loss)],
      ['accuracy', percentText(this.#accuracy)],
      ['sent', total('sent')],
      ['received', total('received')]
    ])
  }
}

const titles = ['peer', 'state', 'connection', 'sent', 'received']

function showPeers(peers: readonly PeerView[]): void {
  const head = found('#peers thead')
  if (head.childElementCount === 0) {
    const cells = titles.map((title, index) =>
      element('th', { scope: 'col', ...(index < 3 ? { class: 'text' } : {}) }, title)
    )
    head.append(element('tr', {}, ...cells))
  }
  found('#peers tbody').replaceChildren(
    ...peers.map(({ name, state, link, sent, received }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, name),
        element('td', { class: `text ${broken.includes(state) ? 'wrong' : ''}` }, state),
        element('td', { class: 'text' }, link ?? dash),
        element('td', {}, bytesText(sent)),
        element('td', {}, bytesText(received))
      )
    )
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Adds a message, with the time of day. */
export function showNote(text: string): void {
  const list = found('#notes')
  list.querySelector('.quiet')?.remove()
  list.prepend(element('li', {}, element('time', {}, clock.format(Date.now())), text))
  if (list.childElementCount > maxNotes) list.lastElementChild?.remove()
}
