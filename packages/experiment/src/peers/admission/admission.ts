import { InputError, type PeerName } from '@murmuration/core'
import type { Admission, AdmissionOptions, Certificate } from '@murmuration/libp2p'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan, RunRequest } from '../../training/plan.js'
import { CertificateStore } from './certificate-store.js'
import { filesOf } from './received-files.js'
import { fingerprintOf } from './run-files.js'

/** The admission by which a peer itself entered the run. */
export interface OwnAdmission {
  readonly own: Admission
  readonly certificates: readonly Certificate[]
}

/** How a run admits peers that have no id in its file; undefined if the file has no run key. */
export async function admissionOf(
  { plan, request }: { readonly plan: RunPlan; readonly request: RunRequest },
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
  const store = new CertificateStore(runKey, self, emit)
  return {
    runKey,
    places,
    own: entered?.own,
    fingerprint: fingerprintOf(plan),
    files: await filesOf(request),
    certificates: [...(await store.read()), ...(entered?.certificates ?? [])],
    onCertificates: (all) => store.write(all)
  }
}
