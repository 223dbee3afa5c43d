import { InputError } from '@murmuration/core'
import { fingerprintOf, keyNameOf, planOfFiles, type RunPlan, runFilesIn } from '@murmuration/experiment/peer'
import { type Invitation, localIdentity, showRun } from '@murmuration/libp2p'
import { invitationIn } from './link.js'
import type { DroppedFile, Run, RunEvent, RunOptions, Summary } from './run.js'
import { checkBrowser, sentenceOf } from './sentences.js'
import { TabRun } from './tab-run.js'

/** How long the peers of a run are looked for, in milliseconds. */
const searchFor = 15_000

/** Where this browser keeps the keys of its peers. */
const identities = 'identities'

/**
 * Finds the run of a link, and what it is; nothing is joined, and the invitation stays unused. Rejects with an Error
 * whose message is one sentence.
 */
export async function openRun(link: string, options: RunOptions = {}): Promise<Run> {
  try {
    checkBrowser()
    const invitation = invitationIn(link)
    const identity = await localIdentity(identities, keyNameOf(invitation))
    const signal = options.signal ?? new AbortController().signal
    let plan: RunPlan | undefined
    const text = await showRun({
      invitation,
      identity,
      seeds: invitation.seeds,
      timeout: searchFor,
      signal,
      isRight: async (files) => {
        plan = await planFor(invitation, files)
        return plan !== undefined
      },
      onProblem: options.onSearch
    })
    if (plan === undefined) throw new InputError('a peer sent no files of the run')
    return new TabRun({ invitation, identity, plan, files: text })
  } catch (error) {
    throw new Error(sentenceOf(error), { cause: error })
  }
}

/** Opens the run of a link, and trains in it to its end. Rejects as {@link openRun} and `join` do. */
export async function joinRun(
  link: string,
  {
    samples,
    on,
    ...options
  }: RunOptions & { readonly samples?: readonly DroppedFile[]; readonly on?: (event: RunEvent) => void } = {}
): Promise<Summary> {
  const run = await openRun(link, options)
  if (on !== undefined) run.on(on)
  return run.join(samples)
}

/** The plan of received files; `undefined` unless the invitation is for this run. */
async function planFor({ fingerprint }: Invitation, text: string): Promise<RunPlan | undefined> {
  const plan = await planOfFiles(runFilesIn(text))
  return fingerprintOf(plan) === fingerprint ? plan : undefined
}
