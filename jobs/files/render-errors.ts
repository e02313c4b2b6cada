/** The document can never be printed: it is too large or has too many pages. */
export class DocumentNotPrintable extends Error {}

/** Printing exceeded its time limit. A later attempt can succeed. */
export class DocumentTooSlow extends Error {}
