/** A page is a bundle. */
export const ownSoftware: string | undefined = undefined
