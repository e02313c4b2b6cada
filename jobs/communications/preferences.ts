import { preferences, subscribeAgain } from '../../sql/communications/preferences.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { update } from '../../sql/write.ts';
import { auditedUpdate } from '../audit.ts';
import { NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

type Wishes = {
  email_enabled?: boolean | undefined;
  sms_enabled?: boolean | undefined;
  letter_enabled?: boolean | undefined;
  marketing_enabled?: boolean | undefined;
};

/**
 * Writes what a borrower wants to be sent, whoever says it. Each change is in the history; mail that is
 * wanted again goes to an address that had unsubscribed, too.
 */
export async function setPreferences(work: Work, borrowerId: string, wishes: Wishes): Promise<Row> {
  const before = await findLocked(work.tx, preferences, borrowerId);
  if (before === null) throw new NotFound();
  const steps = async () => {
    await update(work.tx, 'borrowers', borrowerId, wishes);
    if (wishes.email_enabled) await subscribeAgain(work.tx, borrowerId);
    return borrowerId;
  };
  return auditedUpdate(work, preferences, before, steps, { isHidden: false });
}
