/** Results of several folders, side by side. */
import { InputError } from '@murmuration/core'
import { runsOfSweep } from './files/order.js'
import type { ResultsMethod, Results, RunRecord, Setting, MergedSource, Sweep, Timeline, World } from './results.js'

/** Results, and the name of their folder. */
export interface NamedResults {
  readonly name: string
  readonly results: Results
}

type Axes = Sweep['axes']

/** The results of a folder, and the labels that distinguish its methods from those of the other folders. */
interface LabelledFolder extends NamedResults {
  readonly labels: ReadonlyMap<string, string>
}

/**
 * Merges the results of folders: the methods of each, in the settings that all have. Methods of the same name are
 * distinguished by the folder's name, or by the peer if each folder belongs to another peer. Throws an InputError when
 * folders vary different things, or have no value of an axis in common.
 */
export function mergeResults(folders: readonly NamedResults[], origin: Pick<Sweep, 'command' | 'version'>): Results {
  const axes = commonAxes(folders)
  const labelledFolders = labelled(folders)
  const sweeps = folders.map(({ results }) => results.sweep)
  const titles = [...new Set(sweeps.map(({ title }) => title))]
  const targets = [...new Set(sweeps.map(({ targetLoss }) => targetLoss))]
  const shown = shownText(folders, axes)
  return {
    sweep: {
      ...origin,
      title: titles.length === 1 ? titles[0] : `comparison of ${list(folders.map(({ name }) => name))}`,
      description: [...new Set(sweeps.map(({ description }) => description.trim()))]
        .filter((text) => text !== '')
        .join('\n\n'),
      scenario: folders.map(({ name, results }) => `# ${name}\n${results.sweep.scenario}`).join('---\n'),
      axes,
      methods: labelledFolders.flatMap(methodsOf),
      seeds: [...new Set(sweeps.flatMap(({ seeds }) => seeds))],
      ...(targets.length === 1 && targets[0] !== undefined ? { targetLoss: targets[0] } : {}),
      facts: { ...factsOf(folders), ...(shown === '' ? {} : { 'settings shown': shown }) },
      sources: folders.flatMap((folder) => sourcesOf(folder, axes))
    },
    runs: labelledFolders.flatMap((folder) => ofSettings(folder.results.runs, axes).map((run) => renamed(run, folder))),
    timelines: labelledFolders.flatMap((folder) =>
      ofSettings(folder.results.timelines, axes).map((timeline) => renamed(timeline, folder))
    )
  }
}

/**
 * An axis that varies in one folder must exist in all; its values are those that all folders have. What never varies is
 * not an axis.
 */
function commonAxes(folders: readonly NamedResults[]): Axes {
  const all = folders.map(({ name, results }) => ({ name, axes: results.sweep.axes }))
  const varying = [...new Set(all.flatMap(({ axes }) => Object.keys(axes).filter((axis) => axes[axis].length > 1)))]
  return Object.fromEntries(
    varying.map((axis) => {
      const lacking = all.filter(({ axes }) => !(axis in axes)).map(({ name }) => name)
      if (lacking.length > 0) {
        const having = all.filter(({ axes }) => axis in axes).map(({ name }) => name)
        throw new InputError(
          `${list(having)} ${having.length === 1 ? 'varies' : 'vary'} ${axis}, but ${list(lacking)} ${lacking.length === 1 ? 'does' : 'do'} not: ` +
            'folders can be compared only if they vary the same axes'
        )
      }
      const values = all[0].axes[axis].filter((value) => all.every(({ axes }) => axes[axis].includes(value)))
      if (values.length > 0) return [axis, values]
      const found = all.map(({ name, axes }) => `${name} has ${axes[axis].join(', ')}`)
      throw new InputError(`the folders have no value of ${axis} in common: ${found.join('; ')}`)
    })
  )
}

/**
 * New labels for methods with a label that is in several folders: with the folder's name, and with the world if both
 * occur.
 */
function labelled(folders: readonly NamedResults[]): readonly LabelledFolder[] {
  const all = folders.flatMap(({ results }) => results.sweep.methods.map(({ label }) => label))
  const worlds = new Set(folders.flatMap(({ results }) => results.runs.map(({ world }) => world)))
  const tags = peersOf(folders)?.map((peer) => `peer ${peer}`) ?? folders.map(({ name }) => name)
  return folders.map(({ name, results }, index) => ({
    name,
    results,
    labels: new Map(
      results.sweep.methods.map(({ label }) => {
        const isAlone = all.filter((other) => other === label).length === 1
        const world = worlds.size > 1 ? `, ${worldWord(worldOf(results.runs, label))}` : ''
        return [label, isAlone ? label : `${label} · ${tags[index]}${world}`]
      })
    )
  }))
}

/** The peer of each folder, if every folder belongs to one peer and each to another; else undefined. */
function peersOf(folders: readonly NamedResults[]): readonly string[] | undefined {
  const peers = folders.map(({ results: { runs } }) => [...new Set(runs.map(({ peer }) => peer))])
  const names = peers.flatMap(([name, ...others]) => (name === undefined || others.length > 0 ? [] : [name]))
  return new Set(names).size === folders.length ? names : undefined
}

const worldOf = (runs: readonly RunRecord[], label: string): World =>
  runs.find(({ method }) => method === label)?.world ?? 'simulator'

const worldWord = (world: World): string => (world === 'libp2p' ? 'real' : 'simulated')

function methodsOf({ results, labels }: LabelledFolder): ResultsMethod[] {
  return results.sweep.methods.map(({ label, form, originalLabel = label, ...rest }) => {
    const shown = labels.get(label) ?? label
    // Methods of one kind are compared with each other only within a folder.
    const kind =
      form === undefined || shown === label ? {} : { form: { ...form, kind: shown.replace(label, form.kind) } }
    return { ...rest, label: shown, originalLabel, ...(form === undefined ? {} : { form }), ...kind }
  })
}

/** A fact that is the same in all folders occurs once; others occur once per folder. */
function factsOf(folders: readonly NamedResults[]): Sweep['facts'] {
  const names = [...new Set(folders.flatMap(({ results }) => Object.keys(results.sweep.facts)))]
  return Object.fromEntries(
    names.flatMap((fact) => {
      const texts = folders.flatMap(({ name, results }) => {
        const text = results.sweep.facts[fact]
        return text === undefined ? [] : [[`${fact}, ${name}`, text]]
      })
      const isCommon = texts.length === folders.length && new Set(texts.map(([, text]) => text)).size === 1
      return isCommon ? [[fact, texts[0][1]]] : texts
    })
  )
}

/** What the merge shows, if folders have different values; else empty. */
function shownText(folders: readonly NamedResults[], axes: Axes): string {
  const isWhole = folders.every(({ results }) =>
    Object.entries(axes).every(([axis, values]) => results.sweep.axes[axis].length === values.length)
  )
  return isWhole ? '' : 'those that all folders have'
}

function sourcesOf({ name, results: { sweep } }: NamedResults, axes: Axes): readonly MergedSource[] {
  if (sweep.sources !== undefined) return sweep.sources
  const { title, command, version, scenario } = sweep
  const axesOfSource = Object.entries(sweep.axes).map(
    ([axis, values]) => [axis, axis in axes ? axes[axis] : values] as const
  )
  return [
    { name, title, command, version, scenario, runs: runsOfSweep({ ...sweep, axes: Object.fromEntries(axesOfSource) }) }
  ]
}

interface Placed {
  readonly settings: Readonly<Record<string, Setting>>
  readonly method: string
}

/** The items in settings that all folders have. */
function ofSettings<Item extends Placed>(items: readonly Item[], axes: Axes): readonly Item[] {
  return items
    .filter(({ settings }) => Object.entries(axes).every(([axis, values]) => values.includes(settings[axis])))
    .map((item) => ({
      ...item,
      settings: Object.fromEntries(Object.keys(axes).map((axis) => [axis, item.settings[axis]]))
    }))
}

const renamed = <Item extends RunRecord | Timeline>(item: Item, { labels }: LabelledFolder): Item => ({
  ...item,
  method: labels.get(item.method) ?? item.method
})

/** `a`, `a and b`, `a, b and c` */
function list(words: readonly string[]): string {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
}
