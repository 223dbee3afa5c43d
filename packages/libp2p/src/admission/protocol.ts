/**
 * The protocol for presenting an invitation and for passing on certificates: one question and one answer per stream.
 */
import type { Connection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import * as z from 'zod'
import { foreignText } from '../base/foreign-text.js'
import { ask } from '../questions/questions.js'
import { type Admission, type Certificate, certificateSchema } from './certificates.js'
import { type Invitation, invitationSchema } from './invitation.js'

export const admissionProtocol = '/murmuration/admission/2'

/** The most certificates in a question or an answer. */
const maxCertificates = 512
/** The most bytes of a question, and of an answer, which may include the files of the run. */
export const maxQuestion = 1 << 20
const maxAnswer = 4 << 20

const certificates = z.array(certificateSchema).max(maxCertificates).readonly()

export const questionSchema = z.object({
  /** The use of an invitation by the asker itself. */
  present: certificateSchema.optional(),
  /** An invitation whose run the asker wants to see before it uses it. */
  shows: invitationSchema.optional(),
  /** The certificates that the asker passes on. */
  certificates,
  /** Whether it asks for the files of the run. */
  wantsFiles: z.boolean()
})

const answerSchema = z.object({
  /** Why the asker is not admitted, or would not be; absent when it is. */
  refused: z
    .string()
    .max(1024)
    .transform((text) => foreignText(text))
    .optional(),
  certificates,
  files: z.string().max(maxAnswer).optional()
})

/** A question. */
export interface AdmissionQuestion {
  readonly present?: Admission | undefined
  readonly shows?: Invitation | undefined
  readonly certificates: readonly Certificate[]
  readonly wantsFiles: boolean
}

/** An answer. */
export type AdmissionAnswer = z.output<typeof answerSchema>

/** Asks a peer of the run. Rejects when there is no answer. */
export async function askForAdmission(
  connection: Connection,
  question: AdmissionQuestion,
  timeout: Milliseconds
): Promise<AdmissionAnswer> {
  return answerSchema.parse(await ask(connection, admissionProtocol, { question, timeout, maxAnswer }))
}
