import type { BookFinding } from './finding.ts';

/** Rows of a chunk cannot be boarded, so none of the chunk is. */
export class ChunkRefused extends Error {
  readonly findings: readonly BookFinding[];

  constructor(findings: readonly BookFinding[]) {
    const lines = [...new Set(findings.map(({ line }) => line))];
    const named = `${lines.length === 1 ? 'Line' : 'Lines'} ${lines.slice(0, 20).join(', ')}`;
    const [first] = findings;
    super(`${named} of ${first?.file ?? 'loans'} cannot be boarded: ${first?.reason ?? ''}`);
    this.findings = findings;
  }
}
