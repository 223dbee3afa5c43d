// The published times of D-PSGD's figures 2 (a) to (d), compared with sim/slow-links.yaml, in seconds per epoch of 56
// steps.
//
//   node studies/published-figures.mjs [--json]
//
// One set of constants for all points. Three are calibrated: the time of a step (4 s per epoch, at the left end of 2
// c), the window (10 s for D-PSGD at 10 ms, 2 d), and the real rate of "1 Mbps" in 2 (c), since no fp32 ResNet-20 fits
// through 1 Mbit/s in the published time (67 s for D-PSGD, at the right end of 2 c).
import { fileURLToPath } from 'node:url'
import { TaskSets, readScenario, runsOf, simulateRun, topologyOf } from '@murmuration/experiment/sim'

const stepsPerEpoch = 56

/** The rate of a line for each "1 Mbps" of the figure, in bit/s. */
const axis = 16e6

const gossip = 'D-PSGD, as published'
const server = 'parameter server, blocking by tensor (as published)'
const allReduce = 'direct all-reduce, blocking by tensor (as published)'

/**
 * "Mbps" of the figure (undefined: no limit), milliseconds one way, and the published seconds per epoch in the order of
 * `systems`, read off the figure by eye (± 2 to 3 s). `isCalibrated`: a constant is chosen so that D-PSGD meets it.
 */
const points = [
  { panel: '2c', latency: 0, published: [4, 6, 4], isCalibrated: true },
  { panel: '2c', mbps: 10, latency: 0, published: [10, 49, 10] },
  { panel: '2c', mbps: 1, latency: 0, published: [67, 244, 61], isCalibrated: true },
  { panel: '2d', latency: 0, published: [4, 5, 4] },
  { panel: '2d', latency: 10, published: [10, 124, 69], isCalibrated: true }
]

/** Published seconds to the same loss, in the order of `systems`: only their ratios can be compared (± 15 %). */
const losses = [
  { panel: '2a', mbps: 10, latency: 0, loss: 0.52, published: [200, 1000, 200] },
  { panel: '2b', latency: 5, loss: 0.63, published: [115, 1000, 520] }
]

const systems = [gossip, server, allReduce]
const others = [
  'D-PSGD',
  'parameter server, blocking, fused',
  'parameter server, streamed by tensor',
  'parameter server, streamed, fused',
  'direct all-reduce, streamed by tensor',
  'direct all-reduce, fused',
  'ring all-reduce, fused'
]

const whole = await readScenario(fileURLToPath(new URL('../sim/slow-links.yaml', import.meta.url)))
const taskSets = new TaskSets(1)
const linuxWindow = whole.topology.links.default.window

/** Virtual seconds per epoch of a method, from ten rounds, which are all alike. */
async function epoch(label, { mbps, latency }, window = linuxWindow) {
  const method = whole.methods.find((each) => each.label === label)
  const links = { default: { latency, window, ...(mbps === undefined ? {} : { up: mbps * axis }) } }
  const [first] = runsOf({ ...whole, methods: [method], timeline: undefined })
  const run = { ...first, setting: { ...first.setting, topology: { ...first.setting.topology, links } } }
  const scenario = { ...whole, training: { ...whole.training, rounds: 10 }, stop: {} }
  const taskSet = await taskSets.of(run.setting.learning, topologyOf(scenario, run).topology.peers, run.seed)
  const { record } = await simulateRun(scenario, run, taskSet, () => 0)
  return stepsPerEpoch * record.secondsPerRound
}

async function inTurn(items, act) {
  const results = []
  for (const item of items) results.push(await act(item))
  return results
}

const where = ({ mbps, latency }) => `${mbps === undefined ? 'no limit' : `"${mbps} Mbps"`}, ${latency} ms`
const overGossip = ([gossipTime, ...rest]) => rest.map((each) => each / gossipTime)
const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)]

function off(ours, published) {
  const percent = Math.round(100 * (ours / published - 1))
  return percent === 0 ? '0 %' : `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`
}

const both = (published, ours, [was, is]) => `${was} / ${is} (${off(ours, published)})`

function secondsRow({ panel, published, isCalibrated = false, ours, ...point }) {
  const cells = ours.map((each, k) => both(published[k], each, [published[k], each.toFixed(1)]))
  return [panel, where(point), isCalibrated ? `${cells[0]}, calibrated` : cells[0], ...cells.slice(1)]
}

function ratiosRow({ panel, published, ours, loss, ...point }) {
  const [was, is] = [published, ours].map(overGossip)
  const cells = is.map((each, k) => both(was[k], each, [was[k].toFixed(2), each.toFixed(2)]))
  return [panel, `${where(point)}, to loss ${loss}`, ...cells]
}

const withOurs = (all) =>
  inTurn(all, async (point) => ({ ...point, ours: await inTurn(systems, (label) => epoch(label, point)) }))
const measured = await withOurs(points)
const toLoss = await withOurs(losses)

const settings = [{ mbps: 1, latency: 0 }, { mbps: 10, latency: 0 }, { latency: 5 }, { latency: 10 }]
const all = await inTurn([...systems, ...others], async (label) => [
  label,
  ...(await inTurn(settings, async (point) => (await epoch(label, point)).toFixed(1)))
])

const windows = await inTurn([Infinity, 416, 208, 128, 112, 64], async (KiB) => {
  const window = KiB * 1024
  const ten = await inTurn(systems, (label) => epoch(label, { latency: 10 }, window))
  const times = [
    await epoch(gossip, { latency: 5 }, window),
    ten[0],
    await epoch('D-PSGD', { latency: 5 }, window),
    await epoch('D-PSGD', { latency: 10 }, window)
  ]
  const ratios = overGossip(ten).map((ratio) => ratio.toFixed(1))
  return [KiB === Infinity ? 'none' : `${KiB} KiB`, ...times.map((time) => `${time.toFixed(1)} s`), ...ratios]
})

const tables = {
  seconds: table(['figure', 'links', 'D-PSGD, s: published / ours', 'server', 'all-reduce'], measured.map(secondsRow)),
  ratios: table(['figure', 'links', 'server / D-PSGD: published / ours', 'all-reduce / D-PSGD'], toLoss.map(ratiosRow)),
  best: table(['seconds per epoch', ...settings.map(where)], all),
  windows: table(
    ['window', 'D-PSGD, 5 ms', '10 ms', 'overlapping, 5 ms', '10 ms', 'server / D-PSGD, 10 ms', 'all-reduce / D-PSGD'],
    windows
  )
}
if (process.argv.includes('--json')) console.log(JSON.stringify({ tables, measured, toLoss }))
else for (const lines of Object.values(tables)) console.log(`${lines.join('\n')}\n`)
