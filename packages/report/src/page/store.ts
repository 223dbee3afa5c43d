/** What the reader has chosen. Every part draws itself again when something changes. */
import type { Case, PageData } from '../shared/page-data.js'
import type { MeasureKey } from '../shared/measures.js'
import { caseAt } from '../shared/verdicts.js'

export interface View {
  readonly measure: MeasureKey
  /** The axes across and down the map; undefined where fewer vary. */
  readonly across?: number
  readonly down?: number
  /** The chosen setting: a place in each axis. The map keeps to it in the axes that it does not show. */
  readonly places: readonly number[]
  /** What the table's factors are relative to. */
  readonly reference: number
  readonly map: 'winner' | 'factor'
  /** The map's factor is what `over` takes divided by what `under` takes. */
  readonly over: number
  readonly under: number
  readonly logarithmic: boolean
  readonly timeline: number
  /** The part of the timeline that is shown, and where it begins: fractions of the whole. */
  readonly zoom: number
  readonly begin: number
}

/** What a part of the page depends on. */
type Keys = readonly (keyof View)[] | 'all'

export class Store {
  readonly data: PageData
  #view: View
  readonly #listeners: { readonly keys: Keys; readonly listener: () => void }[] = []

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

  get view(): View {
    return this.#view
  }

  /** The chosen setting; undefined when nothing was run there. */
  get chosen(): Case | undefined {
    return caseAt(this.data, this.#view.places)
  }

  change(part: Partial<View>): void {
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
  listen(keys: Keys, listener: () => void): void {
    this.#listeners.push({ keys, listener })
    listener()
  }
}

/** The places with some of them changed. */
export const moved = (places: readonly number[], axis: number | undefined, place: number): readonly number[] =>
  places.map((old, of) => (of === axis ? place : old))
