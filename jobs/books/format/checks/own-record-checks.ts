import { dictionary } from '../../../../sql/dictionary.ts';
import type { BookRow } from '../book-files.ts';
import { isDraw } from '../own-records.ts';
import type { Issue } from './issue.ts';
import { refuseDraw, type RecordsIndex } from './known-records.ts';

const issue = (code: Issue['code'], reason: string): Issue => ({ column: 'facts', code, reason });

/** What a record of our own export names: the account that it draws on, its day and its investor. */
export function checkOwnRecord(
  { kind, loan_number = '', facts }: BookRow<'records'>,
  index: RecordsIndex,
  today: string,
): Issue[] {
  const { investor_id, payment_date, payment_instrument_id: account, payment_method } = facts;
  if (kind === 'assignment') {
    if (typeof investor_id !== 'string' || index.find('investors', investor_id)) return [];
    const reason = `investor_id ${investor_id.slice(0, 40)} does not exist in investors.csv. Add the investor.`;
    return [issue('unknown_reference', reason)];
  }
  const issues: Issue[] = [];
  const from = String(index.find('loans', loan_number)?.from ?? '');
  if (kind === 'scheduled_payment' && isBefore(digitsOf(facts['effective_date']), from))
    issues.push(issue('contradiction', BEFORE_LOAN));
  if (kind === 'scheduled_payment' && isBefore(payment_date, today))
    issues.push(issue('payment_in_past', IN_PAST));
  if (!isDraw(kind, facts)) return issues;
  const refused = refuseDraw(index, loan_number, account);
  if (refused !== null) issues.push(issue(refused.code, `${refused.reason} ${LEFT_OUT[kind]}`));
  else if (kind === 'scheduled_payment' && payment_method !== 'ach')
    issues.push(issue('account_not_usable', NOT_ACH));
  return issues;
}

const digitsOf = (date: unknown) => String(date ?? '').replaceAll('-', '');

const BEFORE_LOAN = 'effective_date must not be before the origination of the loan.';

export const isBefore = (date: unknown, today: string) => typeof date === 'string' && date < today;

export const IN_PAST =
  'Was scheduled for a day before the business date, so the exporting system has drawn it. It is left out.';
export const LEFT_OUT = dictionary<string>({
  scheduled_payment: 'The payment is left out.',
  payment_plan: 'The plan draws nothing.',
});
export const NOT_ACH = 'Only a payment by ach draws on an account. The payment is left out.';
