/** The entry point of the page: reads the data and mounts every part. */
import type { PageData } from '../shared/page-data.js'
import { mountCorners } from './corners.js'
import { mountCurves } from './curves.js'
import { setPrinting } from './elements.js'
import { mountFigures } from './figures.js'
import { mountMap } from './map.js'
import { mountSetting } from './setting.js'
import { PageStore } from './store.js'
import { mountTimelines } from './timelines.js'
import { mountTimeUse } from './time-use.js'

/** What is mounted in the elements with these `data-part`s. */
const mounts = {
  corners: mountCorners,
  map: mountMap,
  setting: mountSetting,
  curves: mountCurves,
  figures: mountFigures,
  time: mountTimeUse,
  timelines: mountTimelines
}

const store = new PageStore(JSON.parse(document.getElementById('data')?.textContent ?? '') as PageData)
for (const [name, mount] of Object.entries(mounts)) {
  const part = document.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (part !== null) mount(store, part)
}

let widthBefore = document.documentElement.clientWidth
addEventListener('resize', () => {
  const width = document.documentElement.clientWidth
  if (width !== widthBefore) store.redraw()
  widthBefore = width
})
addEventListener('beforeprint', () => printWith(true))
addEventListener('afterprint', () => printWith(false))

function printWith(on: boolean): void {
  setPrinting(on)
  store.redraw()
}
