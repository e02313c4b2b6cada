import * as letters from '../../sql/mailing/letters.ts';
import { createAddressTasks, isAddressMissing } from '../communications/address-tasks.ts';
import { checkContacts } from '../communications/check-contacts.ts';
import type { BlockReason } from '../communications/contact-rules.ts';
import { sendBlockers } from '../communications/prepare.ts';
import type { Work } from '../work.ts';

const PAGE = 5_000;

/**
 * Checks all waiting letters again and holds those that may no longer be sent, with their reasons: after
 * printing, mail may have been returned or the borrower may have died.
 */
export async function recheckWaitingLetters(work: Work, days: letters.BatchDates): Promise<void> {
  let after: string | null = null;
  do {
    const page: readonly letters.LetterToCheck[] = await letters.listLettersToCheck(
      work.tx,
      days,
      after,
      PAGE,
    );
    const checked = await reasonsOf(work, page);
    await letters.updateHolds(work.tx, checked);
    const lost = checked.filter(({ hold_reasons }) => isAddressMissing('letter', hold_reasons));
    await createAddressTasks(
      work,
      lost.map(({ borrower_id }) => borrower_id),
    );
    after = page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
  } while (after !== null);
}

/** Checks the letters by template type, because the contact rules depend on it. */
async function reasonsOf(work: Work, page: readonly letters.LetterToCheck[]) {
  const checked: { id: string; borrower_id: string; hold_reasons: BlockReason[] }[] = [];
  for (const [template_type, kind] of Map.groupBy(page, (letter) => letter.template_type)) {
    const ids = [...new Set(kind.map(({ borrower_id }) => borrower_id))];
    const plan = { channel: 'letter', template_type, loan_id: null } as const;
    const found = await checkContacts(work, ids, plan);
    for (const { id, borrower_id, is_printed_returned } of kind) {
      const against = sendBlockers(found.get(borrower_id)?.reasons ?? [], 'letter');
      const isReturned = is_printed_returned && !against.includes('contact_invalid');
      const hold_reasons: BlockReason[] = isReturned ? [...against, 'contact_invalid'] : against;
      checked.push({ id, borrower_id, hold_reasons });
    }
  }
  return checked;
}
