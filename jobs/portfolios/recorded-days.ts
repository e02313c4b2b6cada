import { findMissingAttributes } from '../../sql/portfolios/loan-attribute-history.ts';
import * as snapshots from '../../sql/portfolios/snapshots.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';

/** Throws `Conflict` if the day has no snapshots. */
export async function assertDayRecorded(tx: Work['tx'], day: string, field: string) {
  if (await snapshots.areSnapshotsRecorded(tx, day)) return;
  throw dayNotRecorded({
    [field]: day,
    known_from: await snapshots.firstRecordedDay(tx),
  });
}

/**
 * Throws `Conflict` if the day precedes the attribute history of the given columns. The current values
 * could be wrong for that day.
 */
export async function assertAttributesRecorded(
  tx: Work['tx'],
  day: string,
  wanted: readonly string[],
) {
  const { is_lacking, known_from } = await findMissingAttributes(tx, day);
  if (!is_lacking) return;
  throw notKnownThen(wanted, known_from);
}

export const notKnownThen = (wanted: readonly string[], known_from: string | null) =>
  new Conflict(
    `These columns are recorded from ${known_from ?? 'the next close'} on.`,
    'not_known_then',
    {
      wanted,
      known_from,
    },
  );

export const dayNotRecorded = (details: Record<string, unknown>) =>
  new Conflict(
    'No loan data was recorded for that day. See known_from for the first one.',
    'no_loan_snapshots',
    details,
  );
