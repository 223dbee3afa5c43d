import type { Signer } from './records.js'

/**
 * Calls `use` with the signature of a text before it returns; or later, and then `onLate`, if the key takes its time.
 */
export function sign(signer: Signer, text: string, use: (signature: string) => void, onLate = () => {}): void {
  const signature = signer.sign(text)
  if (typeof signature === 'string') return use(signature)
  void signature.then((late) => {
    use(late)
    onLate()
  })
}
