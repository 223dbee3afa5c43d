/**
 * How many milliseconds the peers of one machine, or of a simulation, may take to find each other. A process that ends
 * is noticed earlier; the rest is for a busy machine, and for simulated links that fail.
 */
export const meetingTimeout = 300_000
