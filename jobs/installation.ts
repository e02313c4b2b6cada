import type { Files } from './files/files.ts';

/**
 * What one process was started with. It is built once at the entry and handed in, carried by each
 * work and call, so that two of them can live in one process and differ.
 */
export type Installation = {
  /** Where documents live, for answers that name a link to one. */
  readonly files: Files;
  /** What the links to files that are kept here are signed with. */
  readonly link_secret: string;
  /**
   * In production only days that are over are closed; elsewhere the future may be, so that a whole
   * loan's life is run through in seconds.
   */
  readonly may_close_future: boolean;
};

const missing = () => Promise.reject(new Error('This process was handed no files.'));

/** For commands and processes that were handed nothing: they have no files, and close no future. */
export const BARE: Installation = {
  files: {
    put: missing,
    seize: missing,
    get: missing,
    stream: missing,
    describe: missing,
    remove: missing,
    clear: missing,
    presign: missing,
  },
  link_secret: '',
  may_close_future: false,
};
