import * as recipients from '../../sql/communications/recipients.ts';
import { isBorrowing, listLiableParties, type LiableRole } from '../../sql/loans/co-borrowers.ts';
import type { TemplateType } from '../../templates/messages.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { compose, type ComposeResult, type MessageRequest } from './compose.ts';
import { findRequestedTemplate } from './pick-template.ts';

/** What whoever only answers for a debt is told of it: that it is late, lost, or what would end it. */
const FOR_SURETIES: readonly string[] = [
  ...(['past_due_notice', 'late_fee_notice', 'charge_off_notice', 'payoff_letter'] as const),
] satisfies TemplateType[];

/** Those who borrowed are told all that is told about their loan. */
const isTold = (role: LiableRole, type: string) => isBorrowing(role) || FOR_SURETIES.includes(type);

/** What one of the others is told in another way. */
type Differently = (borrowerId: string) => Promise<Partial<MessageRequest>>;

/** What became of a message to one of the others. */
type Copy = {
  borrower_id: string;
  status: 'queued' | 'blocked' | 'failed';
  log_id?: string;
  reasons: readonly string[];
};

/**
 * Writes a message about a loan to somebody who owes it, and the same to all others who owe it and are
 * told of such things. Each is asked alone, in their own language and by what they wish: what speaks
 * against one message keeps no other back.
 */
export async function composeToAll(
  work: Work,
  wish: MessageRequest,
  differently: Differently = async () => ({}),
): Promise<ComposeResult & { copies: Copy[] }> {
  const others = await othersTold(work, wish);
  const first = await attempt(() => compose(work, wish));
  const copies = await copiesTo(work, wish, others, differently);
  if (first instanceof Invalid) throw first;
  return { ...first, copies };
}

/** The same to the others alone, where whom it is addressed to cannot be reached at all. */
export const composeToCoObligors = async (
  work: Work,
  wish: MessageRequest,
  differently: Differently,
) => copiesTo(work, wish, await othersTold(work, wish), differently);

/** Where there are others, all are locked before the first message, in one order: two such take turns. */
async function othersTold(work: Work, wish: MessageRequest) {
  const { loan_id, borrower_id } = wish;
  if (!loan_id) throw new Invalid({ loan_id: 'Is required to notify everyone who owes the loan.' });
  const type =
    (await findRequestedTemplate(work, wish))?.template_type ?? wish.template_type ?? 'custom';
  const others = (await listLiableParties(work.tx, loan_id))
    .filter((owing) => owing.borrower_id !== borrower_id && isTold(owing.role, type))
    .map((owing) => owing.borrower_id);
  if (others.length > 0) await recipients.lockBorrowers(work.tx, [borrower_id, ...others]);
  return others;
}

async function copiesTo(
  work: Work,
  wish: MessageRequest,
  ids: readonly string[],
  differently: Differently,
) {
  const copies: Copy[] = [];
  for (const borrower_id of ids) {
    const copy = await attempt(async () =>
      compose(work, { ...wish, ...(await differently(borrower_id)), borrower_id }),
    );
    const reasons = copy instanceof Invalid ? Object.values(copy.errors) : [];
    copies.push({
      borrower_id,
      ...(copy instanceof Invalid ? { status: 'failed', reasons } : copy),
    });
  }
  return copies;
}

/** A template that does not work in one language or on one channel may work in another. */
async function attempt(steps: () => Promise<ComposeResult>): Promise<ComposeResult | Invalid> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
}
