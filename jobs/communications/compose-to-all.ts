import * as recipients from '../../sql/communications/recipients.ts';
import { isBorrowing, listLiableParties, type LiableRole } from '../../sql/loans/co-borrowers.ts';
import type { TemplateType } from '../../templates/messages.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { compose, type ComposeResult, type MessageRequest } from './compose.ts';
import { findRequestedTemplate } from './pick-template.ts';

/**
 * The messages that co-signers and guarantors receive: the debt is late, is charged off, can be paid off, or is
 * serviced elsewhere.
 */
const GUARANTOR_MESSAGE_TYPES: readonly string[] = [
  ...(['past_due_notice', 'late_fee_notice', 'charge_off_notice', 'payoff_letter'] as const),
  ...(['goodbye_letter', 'hello_letter'] as const),
] satisfies TemplateType[];

/** Borrowers and co-borrowers receive every message about their loan. */
const receivesMessage = (role: LiableRole, type: string) =>
  isBorrowing(role) || GUARANTOR_MESSAGE_TYPES.includes(type);

/** Changes to the request for one of the other recipients. */
type RequestOverride = (borrowerId: string) => Promise<Partial<MessageRequest>>;

/** The outcome for one of the other recipients. */
type Copy = {
  borrower_id: string;
  status: 'queued' | 'blocked' | 'failed';
  log_id?: string;
  reasons: readonly string[];
};

/**
 * Sends a message about a loan to the addressee and to all others who owe the loan and receive this type.
 * Each recipient's language, preferences and blockers apply separately.
 */
export async function composeToAll(
  work: Work,
  request: MessageRequest,
  differently: RequestOverride = async () => ({}),
): Promise<ComposeResult & { copies: Copy[] }> {
  const others = await listOtherRecipients(work, request);
  const first = await catchInvalid(() => compose(work, request));
  const copies = await composeCopies(work, request, others, differently);
  if (first instanceof Invalid) throw first;
  return { ...first, copies };
}

/** Sends only to the others, when the addressee cannot be reached. */
export const composeToCoObligors = async (
  work: Work,
  request: MessageRequest,
  differently: RequestOverride,
) => composeCopies(work, request, await listOtherRecipients(work, request), differently);

/** Locks all recipients in one order before the first message, so that concurrent calls cannot deadlock. */
async function listOtherRecipients(work: Work, request: MessageRequest) {
  const { loan_id, borrower_id } = request;
  if (!loan_id) throw new Invalid({ loan_id: 'Is required to notify everyone who owes the loan.' });
  const type =
    (await findRequestedTemplate(work, request))?.template_type ??
    request.template_type ??
    'custom';
  const others = (await listLiableParties(work.tx, loan_id))
    .filter((owing) => owing.borrower_id !== borrower_id && receivesMessage(owing.role, type))
    .map((owing) => owing.borrower_id);
  if (others.length > 0) await recipients.lockBorrowers(work.tx, [borrower_id, ...others]);
  return others;
}

async function composeCopies(
  work: Work,
  request: MessageRequest,
  ids: readonly string[],
  differently: RequestOverride,
) {
  const copies: Copy[] = [];
  for (const borrower_id of ids) {
    const copy = await catchInvalid(async () =>
      compose(work, { ...request, ...(await differently(borrower_id)), borrower_id }),
    );
    const reasons = copy instanceof Invalid ? Object.values(copy.errors) : [];
    copies.push({
      borrower_id,
      ...(copy instanceof Invalid ? { status: 'failed', reasons } : copy),
    });
  }
  return copies;
}

/**
 * Returns Invalid instead of throwing it: a template that fails for one language or channel may work for
 * another.
 */
async function catchInvalid(steps: () => Promise<ComposeResult>): Promise<ComposeResult | Invalid> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
}
