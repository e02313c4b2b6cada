import * as letters from '../../sql/mailing/letters.ts';
import { askForAddress, wantsAddress } from '../communications/ask-for-address.ts';
import { whoMayBeContacted } from '../communications/contact.ts';
import type { Reason } from '../communications/may-contact.ts';
import { whatStops } from '../communications/prepare.ts';
import type { Work } from '../work.ts';

const PAGE = 5_000;

/**
 * Asks of each letter that waits whether it may still go, and holds the others with their reasons. Something
 * may have become known since it was printed: mail came back, somebody died.
 */
export async function judgeWaiting(work: Work, days: letters.Days): Promise<void> {
  let after: string | null = null;
  do {
    const page: readonly letters.ToJudge[] = await letters.toJudge(work.tx, days, after, PAGE);
    const judged = await reasonsOf(work, page);
    await letters.judge(work.tx, judged);
    const lost = judged.filter(({ hold_reasons }) => wantsAddress('letter', hold_reasons));
    await askForAddress(
      work,
      lost.map(({ borrower_id }) => borrower_id),
    );
    after = page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
  } while (after !== null);
}

/** By kind of message, of which there are a few: what may be sent depends on it. */
async function reasonsOf(work: Work, page: readonly letters.ToJudge[]) {
  const judged: { id: string; borrower_id: string; hold_reasons: Reason[] }[] = [];
  for (const [template_type, kind] of Map.groupBy(page, (letter) => letter.template_type)) {
    const ids = [...new Set(kind.map(({ borrower_id }) => borrower_id))];
    const plan = { channel: 'letter', template_type, loan_id: null } as const;
    const found = await whoMayBeContacted(work, ids, plan);
    for (const { id, borrower_id, is_printed_returned } of kind) {
      const against = whatStops(found.get(borrower_id)?.reasons ?? [], 'letter');
      const isReturned = is_printed_returned && !against.includes('contact_invalid');
      const hold_reasons: Reason[] = isReturned ? [...against, 'contact_invalid'] : against;
      judged.push({ id, borrower_id, hold_reasons });
    }
  }
  return judged;
}
