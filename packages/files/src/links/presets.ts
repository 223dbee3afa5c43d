import type { Milliseconds } from '@murmuration/core'

/** What a preset says of every peer and pair. Rates in bits per second. */
export interface Preset {
  readonly up: number
  readonly down: number
  readonly latency: Milliseconds
  readonly jitter: Milliseconds
}

const datacentre: Preset = { up: 10e9, down: 10e9, latency: 0.05, jitter: 0 }

/**
 * Round figures for common networks; assumptions, not measurements, but for 'wan', where what lies between two regions is
 * in wan.ts and this holds within one.
 */
export const presets = {
  datacentre,
  lan: { up: 1e9, down: 1e9, latency: 0.2, jitter: 0 },
  /** Two households on cable or VDSL lines in one country. */
  home: { up: 20e6, down: 100e6, latency: 15, jitter: 5 },
  wan: datacentre
} as const satisfies Readonly<Record<string, Preset>>

export const presetNames = Object.keys(presets) as readonly (keyof typeof presets)[]
