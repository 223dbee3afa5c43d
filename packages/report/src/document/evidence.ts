/**
 * Evidence for a sceptical reader: what was found wrong, hashes to compare, and everything needed to reproduce the
 * report.
 */
import { partText, type Results, type RunRecord, type MergedSource, type Sweep } from '@murmuration/results'
import { markup, type Content, type Html } from '../markup.js'
import { settingText, short } from '../shared/units.js'

/** At most so many runs with findings, and so many hashes, are listed. */
const maxListed = 20
const maxHashes = 8

export function checksHtml({ runs }: Results): Html {
  const simulated = inWorld(runs, 'simulator')
  const real = inWorld(runs, 'libp2p')
  const wrong = runs.filter(({ findings }) => findings.length > 0)
  return markup`<section id="checks">
    <h2>Checks</h2>
    ${simulated.length === 0 && real.length > 0 ? '' : markup`<p>${checkersText}</p>`}
    ${real.length === 0 ? '' : markup`<p>${realText}</p>`}
    ${wrong.length === 0 ? markup`<p>${keptText(runs)}</p>` : findingsHtml(wrong, runs)}
    ${simulated.length === 0 && real.length > 0 ? '' : hashTable(simulated)}
    ${real.length === 0 ? '' : modelTable(runs)}
  </section>`
}

const inWorld = (runs: readonly RunRecord[], wanted: RunRecord['world']) => runs.filter(({ world }) => world === wanted)

const checkersText =
  'Every simulated run is checked: averages are preserved if the algorithm guarantees it, all parameters are finite, rounds only go ' +
  'forward, every message that arrives was sent, and no link carries more than its bandwidth allows.'

const realText =
  'A real run records which peers were lost, which sent invalid messages, which were far from their neighbours, and whether all agreed ' +
  'at the end. A real run cannot know the time in which a peer sent or waited, nor a hash of all events.'

function keptText(runs: readonly RunRecord[]): string {
  if (runs.length === 0) return 'There are no runs.'
  return inWorld(runs, 'libp2p').length === 0
    ? `All invariants held in all ${runs.length} runs.`
    : `No problems were found in ${runs.length === 1 ? 'this run' : `these ${runs.length} runs`}.`
}

function findingsHtml(wrong: readonly RunRecord[], all: readonly RunRecord[]): Html {
  const rest = wrong.length - maxListed
  const isSimulated = inWorld(wrong, 'libp2p').length === 0
  const what = isSimulated ? 'Invariants were violated' : 'Problems were found'
  const advice = isSimulated ? 'Do not trust these' : 'Their figures would differ without them'
  return markup`<p class="wrong">${what} in ${wrong.length} of ${all.length} runs. ${advice}:</p>
    <ul>
      ${wrong.slice(0, maxListed).map(
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

const runText = ({ method, settings, seed }: RunRecord): string =>
  [
    method,
    ...Object.entries(settings).map(([axis, value]) => `${axis} ${settingText(axis, value)}`),
    `seed ${seed}`
  ].join(', ')

function hashTable(runs: readonly RunRecord[]): Html {
  const step = Math.max(1, Math.floor(runs.length / maxHashes))
  const some = runs.filter((_, index) => index % step === 0).slice(0, maxHashes)
  return table(
    'Hashes of all events, in order, of some of the simulated runs. The same scenario file, seed and version give the same hashes.',
    'hash of the log',
    some.map((run) => [runText(run), [run.logHash ?? '']])
  )
}

function modelTable(runs: readonly RunRecord[]): Content {
  const some = runs.filter(({ models = {} }) => Object.keys(models).length > 0).slice(0, maxHashes)
  if (some.length === 0) return ''
  return table(
    'SHA-256 of the final parameters of the peers. If the algorithm is synchronous, a simulation of the same files ends with the same parameters.',
    'SHA-256',
    some.map((run) => [runText(run), modelLines(run.models ?? {})])
  )
}

/** A line per hash, with the peers that have it. */
function modelLines(models: Readonly<Record<string, string>>): readonly string[] {
  const peers = Object.keys(models).sort()
  const hashes = [...new Set(peers.map((peer) => models[peer]))]
  return hashes.map((hash) => `${peers.filter((peer) => models[peer] === hash).join(', ')}: ${hash}`)
}

function table(
  caption: string,
  what: string,
  rows: readonly (readonly [run: string, lines: readonly string[]])[]
): Html {
  return markup`<div class="scroll">
    <table class="wide">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">run</th>
          <th scope="col" class="text">${what}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([run, lines]) =>
            markup`<tr>
              <th scope="row">${run}</th>
              <td class="text">${lines.map((line) => markup`<div><code>${line}</code></div>`)}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

export function makingHtml({ sweep, runs }: Results): Html {
  return markup`<section id="making">
    <h2>How it was made</h2>
    <table>
      <caption>
        What holds for all runs
      </caption>
      <tbody>
        ${factsOf(sweep, runs).map(
          ([name, text]) =>
            markup`<tr>
              <th scope="row">${name}</th>
              <td class="text">${text}</td>
            </tr>`
        )}
      </tbody>
    </table>
    <h3>The command</h3>
    <pre>${sweep.command}${sweep.part === undefined ? '' : ` --part ${partText(sweep.part)}`}</pre>
    ${sweep.sources === undefined ? filesHtml(sweep, runs) : sweep.sources.map(sourceHtml)}
  </section>`
}

function factsOf(sweep: Sweep, runs: readonly RunRecord[]): readonly (readonly [string, string])[] {
  const real = runs.reduce((sum, { realSeconds = 0 }) => sum + realSeconds, 0)
  const isSimulated = runs.length === 0 || inWorld(runs, 'simulator').length > 0
  return [
    ...Object.entries(sweep.facts),
    ...Object.entries(sweep.axes).map(([axis, values]): [string, string] => [
      axis,
      values.map((value) => settingText(axis, value)).join(', ')
    ]),
    ['seeds', sweep.seeds.join(', ')],
    ...(sweep.targetLoss === undefined ? [] : [['target loss', short(sweep.targetLoss)] as const]),
    ...(isSimulated
      ? [['computing time of the simulator', `${short(real)} s, all simulated runs together`] as const]
      : []),
    ['version', sweep.version]
  ]
}

const filesHtml = ({ scenario }: Sweep, runs: readonly RunRecord[]): Html =>
  markup`<h3>${inWorld(runs, 'libp2p').length === 0 ? 'The scenario file' : 'The topology and the training'}</h3>
    <pre>${scenario}</pre>`

const sourceHtml = ({ name, title, command, version, scenario }: MergedSource): Html =>
  markup`<h3>${name}: ${title}</h3>
    <p class="quiet">Version ${version}, made by</p>
    <pre>${command}</pre>
    <pre>${scenario}</pre>`

/** The notices that the licences of the chart library require. */
export const licencesHtml = (notices: string): Html =>
  markup`<footer>
    <details>
      <summary>The charts are drawn by Observable Plot and D3, which are in this file. Their licences</summary>
      <pre>${notices}</pre>
    </details>
  </footer>`
