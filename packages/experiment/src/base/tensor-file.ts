/**
 * Reading files in the safetensors format into place: in many calls, each within what one can read, and without a copy.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { InputError } from '@murmuration/core'
import {
  decodeSafetensorsHeader,
  safetensorsHeaderLength,
  type SafetensorsHeader,
  safetensorsLengthBytes
} from '@murmuration/vectors'

/** Node.js and Linux read less than 2 GiB in one call. */
const maxRead = 1 << 26

/** Opens a file, and closes it when `body` has ended. */
export async function withFile<Result>(path: string, body: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(path, 'r')
  try {
    return await body(file)
  } finally {
    await file.close()
  }
}

/** Reads the header of a file that was just opened; the tensors follow. Throws an InputError for anything else. */
export async function readHeader(file: FileHandle): Promise<SafetensorsHeader> {
  const { size } = await file.stat()
  const first = new Uint8Array(Math.min(safetensorsLengthBytes, size))
  await fill(file, first)
  const text = new Uint8Array(safetensorsHeaderLength(first, size))
  await fill(file, text)
  return decodeSafetensorsHeader(text, size)
}

/** Reads until `target` is full. Throws an InputError where the file ends before. */
export async function fill(file: Pick<FileHandle, 'read'>, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.byteLength;) {
    const { bytesRead } = await file.read(target, done, Math.min(maxRead, target.byteLength - done))
    if (bytesRead === 0) throw new InputError('the file ends too early')
    done += bytesRead
  }
}
