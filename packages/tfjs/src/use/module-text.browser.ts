import { InputError } from '@murmuration/core'

/** Rejects with an InputError: a bundle has no files of modules. */
export async function textOfModule(_module: string): Promise<string> {
  throw new InputError('a page saves no model with layers of its own, such as a GPT; save it from another peer')
}
