/** The document itself cannot be printed, now or later: it is too large or has too many pages. */
export class DocumentNotPrintable extends Error {}

/** Printing took longer than it was given. Another machine, or another hour, may be quicker. */
export class DocumentTooSlow extends Error {}
