/** The shells that scripts are written for. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** A shell that a script is written for. */
export type Shell = (typeof shells)[number]
