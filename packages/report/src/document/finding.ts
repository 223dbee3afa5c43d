/** The beginning of the report: the question, the answer, and where the answer does not hold. */
import { partText, type Results, runsOfSweep, type Sweep } from '@murmuration/results'
import { type Content, markup, type Html } from '../markup.js'
import { cautionSentences } from '../prepare/cautions.js'
import { type Duel, duelsOf, type Extreme, findingSentences } from '../prepare/finding.js'
import { sameModelSentences } from '../prepare/models.js'
import type { PageData } from '../shared/page-data.js'
import { measures } from '../shared/measures.js'
import { factorText, short } from '../shared/units.js'
import { isAlone, isMixed, isRanked, modelWord, worldWords } from '../shared/world-words.js'

export function headerHtml({ sweep, runs }: Results, data: PageData): Html {
  const all = runsOfSweep(sweep)
  const axes = data.axes.map(({ name, values }) => `${values.length} values of ${name}`)
  const parts = [counted(data.methods.length, 'method'), ...axes, counted(sweep.seeds.length, 'seed')]
  return markup`<header>
    <h1>${sweep.title}</h1>
    ${paragraphs(sweep.description)}
    <p class="quiet">
      ${runs.length < all ? `${runs.length} of ` : ''}${counted(all, `${worldText(data)} run`)}: ${parts.join(', ')}. ${timeText(data)}${runs.length < all ? ` ${restText(sweep)}` : ''}
    </p>
  </header>`
}

/** Says that runs of a sweep are missing. */
function restText({ part }: Sweep): string {
  if (part === undefined) return 'The other runs are missing: the sweep was stopped, or parts of it are missing.'
  return `This is part ${partText(part)} of the sweep.`
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function worldText(data: PageData): string {
  return isMixed(data) ? 'real and simulated' : worldWords[data.worlds[0]]
}

function timeText(data: PageData): string {
  if (isMixed(data)) return 'Times of simulated runs are virtual: seconds on the simulated machines and links.'
  return data.worlds[0] === 'libp2p'
    ? 'Times are real seconds on the machines that took part.'
    : 'All times are virtual: seconds on the simulated machines and links.'
}

export const paragraphs = (text: string): Content =>
  text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => markup`<p>${paragraph.trim()}</p>`)

export function findingHtml(results: Results, data: PageData): Html {
  const [first, ...others] = [...findingSentences(data), ...sameModelSentences(results)]
  return markup`<section id="finding">
    <h2>What came out</h2>
    <p class="finding">${first}</p>
    ${cautionSentences(results).map((sentence) => markup`<p class="wrong">${sentence}</p>`)}
    ${
      others.length === 0
        ? ''
        : markup`<ul>
            ${others.map((sentence) => markup`<li>${sentence}</li>`)}
          </ul>`
    }
    ${isRanked(data) ? markup`<p class="quiet">${basis(data)}</p>` : ''}
    ${data.cases.length === 0 || isAlone(data) ? '' : markup`<div data-part="corners"></div>`}
    ${isRanked(data) && data.cases.length > 1 ? duelTable(data) : ''}
  </section>`
}

function basis(data: PageData): string {
  const {
    measures: [key],
    targetLoss,
    seeds
  } = data
  const counts =
    targetLoss === undefined
      ? `Methods are compared by ${measures[key].title}; this sweep has no target loss.`
      : key === 'secondsToTarget'
        ? `Methods are compared by the time until the loss of ${modelWord(data)} on the test set is ${short(targetLoss)}.`
        : `No run reached the target loss of ${short(targetLoss)}, so methods are compared by ${measures[key].title}.`
  return seeds === 1
    ? `${counts} One seed: the effect of chance is unknown.`
    : `${counts} Figures are medians over ${seeds} seeds.`
}

function duelTable(data: PageData): Html {
  const leader = data.methods[data.leader]
  return markup`<div class="scroll">
    <table>
      <caption>
        “${leader}” against each of the others: ${measures[data.measures[0]].title} of the other, divided by that of
        “${leader}”. Below 1x the other is better.
      </caption>
      <thead>
        <tr>
          <th scope="col">the other</th>
          <th scope="col">“${leader}” is better in</th>
          <th scope="col">least factor</th>
          <th scope="col">median</th>
          <th scope="col">greatest factor</th>
        </tr>
      </thead>
      <tbody>
        ${duelsOf(data).map((duel) => duelRow(data, duel))}
      </tbody>
    </table>
  </div>`
}

function duelRow({ methods }: PageData, { rival, settings, won, factors, rivalNever, leaderNever }: Duel): Html {
  const never = [
    ...(rivalNever > 0 ? [`it never arrives in ${rivalNever}`] : []),
    ...(leaderNever > 0 ? [`it alone arrives in ${leaderNever}`] : [])
  ].join('; ')
  const cells =
    factors === undefined
      ? markup`<td colspan="3">no setting in which both arrive</td>`
      : markup`<td>${extreme(factors.least)}</td>
          <td>${factorText(factors.middle)}</td>
          <td>${extreme(factors.greatest)}</td>`
  return markup`<tr>
    <th scope="row">${methods[rival]}</th>
    <td>${won} of ${settings}${never === '' ? '' : markup` <small>${never}</small>`}</td>
    ${cells}
  </tr>`
}

const extreme = ({ factor, where }: Extreme) => markup`${factorText(factor)} <small>${where}</small>`
