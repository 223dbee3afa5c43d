import type { Milliseconds } from '@murmuration/core'

/** A preset's values for every peer and pair. Rates in bits per second. */
export interface Preset {
  readonly up: number
  readonly down: number
  readonly latency: Milliseconds
  readonly jitter: Milliseconds
}

const datacentre: Preset = { up: 10e9, down: 10e9, latency: 0.05, jitter: 0 }

/**
 * Round figures for common networks: assumptions, not measurements. Exception: 'wan' uses the measurements in wan.ts
 * between two regions, and the values here within one.
 */
export const presets = {
  datacentre,
  lan: { up: 1e9, down: 1e9, latency: 0.2, jitter: 0 },
  /** Two households on cable or VDSL lines in one country. */
  home: { up: 20e6, down: 100e6, latency: 15, jitter: 5 },
  wan: datacentre
} as const satisfies Readonly<Record<string, Preset>>

export const presetNames = Object.keys(presets) as readonly (keyof typeof presets)[]
