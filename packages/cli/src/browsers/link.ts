/** A link to a page with an invitation, in the part of a URL that browsers send to nobody. */
export const linkOf = (page: string, invitation: string): string => `${page}#join=${invitation}`
