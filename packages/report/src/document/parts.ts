/** Headings and introductions around the charts; the page's script inserts the charts. */
import type { Results } from '@murmuration/results'
import { type Content, type Html, markup } from '../markup.js'
import type { PageData } from '../shared/page-data.js'
import { isAlone, isRanked } from '../shared/world-words.js'

export const mapHtml = (data: PageData): Content =>
  data.cases.length === 0 || isAlone(data)
    ? ''
    : markup`<section id="map">
    <h2>${isRanked(data) && data.cases.length > 1 ? 'Which method wins where' : 'Side by side'}</h2>
    <div data-part="map"></div>
  </section>`

export const methodsHtml = ({ sweep }: Results): Html =>
  markup`<section id="methods">
    <h2>${sweep.methods.length === 1 ? 'The method' : 'The methods'}</h2>
    <dl class="methods">
      ${sweep.methods.map(
        ({ label, description }, index) =>
          markup`<div>
            <dt><span class="swatch" style="background: var(--method-${index})"></span>${label}</dt>
            <dd>${description}</dd>
          </div>`
      )}
    </dl>
  </section>`

export const settingHtml = ({ cases }: PageData): Content =>
  cases.length === 0
    ? ''
    : markup`<section id="setting">
    ${
      cases.length === 1
        ? markup`<h2>In detail</h2>`
        : markup`<h2>One setting in detail</h2>
            <div data-part="setting"></div>`
    }
    <h3>How the loss falls</h3>
    <div data-part="curves"></div>
    <h3>Figures</h3>
    <div data-part="figures"></div>
    <h3>Where the time went</h3>
    <div data-part="time"></div>
  </section>`

export const timelinesHtml = ({ timelines }: PageData): Content =>
  timelines.length === 0
    ? ''
    : markup`<section id="timelines">
        <h2>Event by event</h2>
        <div data-part="timelines"></div>
      </section>`
