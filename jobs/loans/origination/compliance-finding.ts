import { Big } from 'big.js';
import type { Obligor } from '../../../sql/loans/origination/compliance.ts';

/**
 * The result of a rule: null if it passes, what is wrong, why the check cannot be made, why the rule does not
 * apply to this loan, or which setting it needs. A check that cannot be made fails if its level is hard. A
 * check that needs a setting does so only if the tenant gave it that level.
 */
export type Finding =
  | null
  | { wrong: string; borrower_ids?: readonly string[] }
  | { unable: string; borrower_ids?: readonly string[] }
  | { notApplicable: string }
  | { notConfigured: string };

export const wrongIf = (isWrong: boolean, wrong: string): Finding => (isWrong ? { wrong } : null);

export const percent = (rate: string) => `${new Big(rate).times(100).toFixed()} percent`;

const ROLES = {
  borrower: 'borrower',
  co_borrower: 'co-borrower',
  co_signer: 'co-signer',
  guarantor: 'guarantor',
} as const;

/**
 * Checks every person who owes the loan. `check` gets words for the person, such as "The guarantor", because
 * messages must not contain names. What is wrong comes before what cannot be checked.
 */
export function checkEach(
  obligors: readonly Obligor[],
  check: (obligor: Obligor, who: string) => Finding,
): Finding {
  const wrong: PersonalMessage[] = [];
  const unable: PersonalMessage[] = [];
  const notApplicable: string[] = [];
  for (const obligor of obligors) {
    const { borrower_id, role } = obligor;
    const finding = check(obligor, `The ${ROLES[role]}`);
    if (finding === null) continue;
    if ('wrong' in finding) wrong.push({ borrower_id, message: finding.wrong });
    else if ('unable' in finding) unable.push({ borrower_id, message: finding.unable });
    else if ('notApplicable' in finding) notApplicable.push(finding.notApplicable);
  }
  if (wrong.length > 0) return { wrong: joinMessages(wrong), borrower_ids: idsOf(wrong) };
  if (unable.length > 0) return { unable: joinMessages(unable), borrower_ids: idsOf(unable) };
  const [reason] = notApplicable;
  const appliesToNobody = reason !== undefined && notApplicable.length === obligors.length;
  return appliesToNobody ? { notApplicable: reason } : null;
}

type PersonalMessage = { borrower_id: string; message: string };
const idsOf = (found: readonly PersonalMessage[]) => found.map(({ borrower_id }) => borrower_id);
const joinMessages = (found: readonly PersonalMessage[]) =>
  [...new Set(found.map(({ message }) => message))].join(' ');
