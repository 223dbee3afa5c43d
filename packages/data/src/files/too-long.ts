/** Something unpacks to more than it may. */
export class TooLongError extends Error {}
