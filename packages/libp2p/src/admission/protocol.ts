/** The protocol of whoever is let in by invitation, and of those that tell each other who was: one question, one answer, one stream. */
import type { Connection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { z } from 'zod'
import { foreignText } from '../foreign-text.js'
import { ask } from '../questions.js'
import { type Admission, type Certificate, certificateSchema } from './certificates.js'

export const admissionProtocol = '/murmuration/admission/1'

/** The most certificates in a question or an answer: places are few. */
const maxCertificates = 512
/** The most bytes of a question, and of an answer, which may have the files of the run. */
export const maxQuestion = 1 << 20
const maxAnswer = 4 << 20

const certificates = z.array(certificateSchema).max(maxCertificates).readonly()

export const questionSchema = z.object({
  /** The use of an invitation by the asker itself. */
  present: certificateSchema.optional(),
  /** What the asker knows. */
  certificates,
  /** Whether it asks for the files of the run. */
  wantsFiles: z.boolean()
})

const answerSchema = z.object({
  /** Why the asker is not let in; absent where it is. */
  refused: z
    .string()
    .max(1024)
    .transform((text) => foreignText(text))
    .optional(),
  certificates,
  files: z.string().max(maxAnswer).optional()
})

/** What is asked. */
export interface AdmissionQuestion {
  readonly present?: Admission | undefined
  readonly certificates: readonly Certificate[]
  readonly wantsFiles: boolean
}

/** What is answered. */
export type AdmissionAnswer = z.output<typeof answerSchema>

/** Asks a peer of the run. Rejects when there is no answer. */
export async function askForAdmission(
  connection: Connection,
  question: AdmissionQuestion,
  timeout: Milliseconds
): Promise<AdmissionAnswer> {
  return answerSchema.parse(await ask(connection, admissionProtocol, { question, timeout, maxAnswer }))
}
