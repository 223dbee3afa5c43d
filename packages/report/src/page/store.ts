/** The reader's choices. Every part draws itself again when a choice that it depends on changes. */
import type { Case, PageData } from '../shared/page-data.js'
import type { MeasureKey } from '../shared/measures.js'
import { caseAt } from '../shared/verdicts.js'

export interface PageView {
  readonly measure: MeasureKey
  /** The axes across and down the map; undefined if fewer vary. */
  readonly across?: number
  readonly down?: number
  /** The chosen setting: an index in each axis. The map uses it for the axes that it does not show. */
  readonly places: readonly number[]
  /** The method that the table's factors are relative to. */
  readonly reference: number
  readonly map: 'winner' | 'factor'
  /** The map's factor is the value of `over` divided by the value of `under`. */
  readonly over: number
  readonly under: number
  readonly logarithmic: boolean
  readonly timeline: number
  /** The part of the timeline that is shown, and where it begins: fractions of the whole. */
  readonly zoom: number
  readonly begin: number
}

/** The choices that a part of the page depends on. */
type ViewKeys = readonly (keyof PageView)[] | 'all'

export class PageStore {
  readonly data: PageData
  #view: PageView
  readonly #listeners: { readonly keys: ViewKeys; readonly listener: () => void }[] = []

  constructor(data: PageData) {
    const [across, down] = data.mapAxes
    this.data = data
    this.#view = {
      measure: data.measures[0],
      across,
      down,
      places: data.cases[data.telling]?.places ?? [],
      reference: data.leader,
      map: 'winner',
      over: data.leader === 0 ? data.methods.length - 1 : 0,
      under: data.leader,
      logarithmic: true,
      timeline: 0,
      zoom: 1,
      begin: 0
    }
  }

  get view(): PageView {
    return this.#view
  }

  /** The chosen setting; undefined if nothing was run there. */
  get chosen(): Case | undefined {
    return caseAt(this.data, this.#view.places)
  }

  change(part: Partial<PageView>): void {
    this.#view = { ...this.#view, ...part }
    for (const { keys, listener } of this.#listeners) {
      if (keys === 'all' || keys.some((key) => key in part)) listener()
    }
  }

  /** Draws everything again, after the page's width changed. */
  redraw(): void {
    for (const { listener } of this.#listeners) listener()
  }

  /** Calls `listener` now, and after every change of one of the keys. */
  listen(keys: ViewKeys, listener: () => void): void {
    this.#listeners.push({ keys, listener })
    listener()
  }
}

/** The indices with one of them changed. */
export const moved = (places: readonly number[], axis: number | undefined, place: number): readonly number[] =>
  places.map((old, of) => (of === axis ? place : old))
