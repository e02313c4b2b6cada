/** What is wrong with a line of a book. It never contains a personal number or a name. */
export type BookFinding = {
  file: string;
  line: number;
  /** Null if the whole line is concerned. */
  column: string | null;
  code: string;
  severity: 'error' | 'warning';
  reason: string;
};
