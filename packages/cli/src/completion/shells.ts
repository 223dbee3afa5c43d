/** The shells that have a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** A shell that has a completion script. */
export type Shell = (typeof shells)[number]
