/** The document itself cannot be printed, now or later: it is too large or has too many pages. */
export class DocumentRefused extends Error {}
