/** The number of seconds of the timeline that the server keeps and the page shows. */
export const maxSeconds = 120
