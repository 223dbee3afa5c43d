/** What a sceptic needs: the judges' findings, hashes to compare with, and all that it takes to make the report again. */
import type { Results, RunRecord } from '@murmuration/results'
import { markup, type Html } from '../markup.js'
import { settingText, short } from '../shared/units.js'

/** So many runs with findings are listed, and so many hashes. */
const listedMax = 20
const hashesMax = 8

export function checksHtml({ runs }: Results): Html {
  const wrong = runs.filter(({ findings }) => findings.length > 0)
  return markup`<section id="checks">
    <h2>Checks</h2>
    <p>
      Judges watch every run: that averages are preserved where an algorithm promises it, that no number is without a
      value, that rounds only go forward, that no message comes from nowhere, that no link carries more than it can.
    </p>
    ${wrong.length === 0 ? markup`<p>${keptText(runs.length)}</p>` : findingsHtml(wrong, runs.length)}
    ${hashTable(runs)}
  </section>`
}

const keptText = (runs: number): string =>
  runs === 0 ? 'There are no runs.' : `All promises were kept in all ${runs} runs.`

function findingsHtml(wrong: readonly RunRecord[], all: number): Html {
  const rest = wrong.length - listedMax
  return markup`<p class="wrong">Promises were broken in ${wrong.length} of ${all} runs. Do not trust these:</p>
    <ul>
      ${wrong.slice(0, listedMax).map(
        (run) =>
          markup`<li>
            <b>${runText(run)}</b>
            <ul>
              ${run.findings.map((text) => markup`<li>${text}</li>`)}
            </ul>
          </li>`
      )}
      ${rest > 0 ? markup`<li>and ${rest} more</li>` : ''}
    </ul>`
}

const runText = ({ contender, settings, seed }: RunRecord): string =>
  [
    contender,
    ...Object.entries(settings).map(([axis, value]) => `${axis} ${settingText(axis, value)}`),
    `seed ${seed}`
  ].join(', ')

function hashTable(runs: readonly RunRecord[]): Html {
  const step = Math.max(1, Math.floor(runs.length / hashesMax))
  const some = runs.filter((_, place) => place % step === 0).slice(0, hashesMax)
  return markup`<div class="scroll">
    <table class="wide">
      <caption>
        Hashes of all that happened, in order, in some of the runs. The same scenario file, seed and version give the
        same.
      </caption>
      <thead>
        <tr>
          <th scope="col">run</th>
          <th scope="col" class="text">hash of the log</th>
        </tr>
      </thead>
      <tbody>
        ${some.map(
          (run) =>
            markup`<tr>
              <th scope="row">${runText(run)}</th>
              <td class="text"><code>${run.logHash}</code></td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

export function makingHtml({ sweep, runs }: Results): Html {
  const real = runs.reduce((sum, { realSeconds }) => sum + realSeconds, 0)
  const axes = Object.entries(sweep.axes).map(([axis, values]): [string, string] => [
    axis,
    values.map((value) => settingText(axis, value)).join(', ')
  ])
  const facts: readonly (readonly [string, string])[] = [
    ...Object.entries(sweep.facts),
    ...axes,
    ['seeds', sweep.seeds.join(', ')],
    ...(sweep.targetLoss === undefined ? [] : [['target loss', short(sweep.targetLoss)] as const]),
    ['computing time of the simulator', `${short(real)} s, all runs together`],
    ['version', sweep.version]
  ]
  return markup`<section id="making">
    <h2>How it was made</h2>
    <table>
      <caption>
        What holds for all runs
      </caption>
      <tbody>
        ${facts.map(
          ([name, text]) =>
            markup`<tr>
              <th scope="row">${name}</th>
              <td class="text">${text}</td>
            </tr>`
        )}
      </tbody>
    </table>
    <h3>The command</h3>
    <pre>${sweep.command}</pre>
    <h3>The scenario file</h3>
    <pre>${sweep.scenario}</pre>
  </section>`
}

/** What the licences of the chart library ask for. */
export const licencesHtml = (notices: string): Html =>
  markup`<footer>
    <details>
      <summary>The charts are drawn by Observable Plot and D3, which are in this file. Their licences</summary>
      <pre>${notices}</pre>
    </details>
  </footer>`
