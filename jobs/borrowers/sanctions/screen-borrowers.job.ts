import { z } from 'zod';
import { findBorrowersToScreen } from '../../../sql/borrowers/sanctions.ts';
import { uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { screeningProvider } from './provider.ts';
import { screenBorrowers } from './screen.ts';

/** Borrowers per transaction: a few seconds. */
const PAGE = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Screens borrowers with open loans whose names or list have changed. Close of business enqueues it. Safe to
 * repeat: a screened borrower is not due again.
 */
export const screenBorrowersJob = job({
  name: 'screen-borrowers',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid }),
  attempts: 5,
  key: ({ tenant_id }) => `screen-borrowers:${tenant_id}`,

  async run({ tenant_id }, outside) {
    let after: string | null = FIRST_ID;
    while (after !== null) {
      const start: string = after;
      after = await outside.within(tenant_id, (work) => screenPage(work, start));
    }
  },
});

/** Returns the last borrower of the page; null after the last page. */
async function screenPage(work: Work, after: string): Promise<string | null> {
  const { compliance } = await settingsOf(work.tx);
  const provider = screeningProvider(compliance);
  const list = (await provider?.findList(work.tx)) ?? null;
  if (provider === null || list === null) return null;
  const ids = await findBorrowersToScreen(work.tx, list.id, { after, limit: PAGE });
  await screenBorrowers(work, provider, ids);
  return ids.length < PAGE ? null : (ids.at(-1) ?? null);
}
