/** The result of one check. */
export interface DoctorFinding {
  readonly check: string
  /** 'unknown' if it cannot be determined here; 'wrong' if a run would fail or suffer. */
  readonly level: 'ok' | 'note' | 'unknown' | 'wrong'
  /** What was found, as a sentence. */
  readonly found: string
  /** How to fix it. */
  readonly fix?: string
}

/** A number of bytes, for people. */
export function bytesText(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(0)} MB`
}
