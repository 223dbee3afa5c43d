import { InputError, type PeerName } from '@murmuration/core'
import type { Admission, AdmissionOptions, Certificate } from '@murmuration/libp2p'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'
import { CertificateStore } from './certificate-store.js'
import { fingerprintOf } from './run-files.js'

/** The admission by which a peer itself entered the run. */
export interface OwnAdmission {
  readonly own: Admission
  readonly certificates: readonly Certificate[]
}

/** What a run that admits peers is made of on this machine. */
export interface AdmittingRun {
  readonly plan: RunPlan
  /** The files of the run, as they are sent to admitted peers. */
  readonly files: () => Promise<string>
  /** Where this user keeps what is known of the run with a key. */
  readonly folderOf: (runKey: string) => string
}

/** How a run admits peers that have no id in its file; undefined if the file has no run key. */
export async function admissionOf(
  { plan, files, folderOf }: AdmittingRun,
  self: PeerName,
  emit: (event: RunEvent) => void,
  entered?: OwnAdmission
): Promise<AdmissionOptions | undefined> {
  const { runKey, peers } = plan.file
  if (runKey === undefined) return undefined
  const places = peers.filter(({ invited }) => invited).map(({ name }) => name)
  if (places.includes(self) && entered === undefined) {
    throw new InputError(`${plan.path}: ${self} is invited; start it with "murmur join" and the invitation`)
  }
  const store = new CertificateStore(folderOf(runKey), self, emit)
  return {
    runKey,
    places,
    own: entered?.own,
    fingerprint: fingerprintOf(plan),
    files: await files(),
    certificates: [...(await store.read()), ...(entered?.certificates ?? [])],
    onCertificates: (all) => store.write(all)
  }
}
