import type { Work } from '../../work.ts';
import type { BookRequest } from './book-request.ts';
import { leavesOutInternal } from './leave-out-internal.ts';

/** What a book leaves out although it belongs to the loans, and why. The README of this area repeats none of it. */
export const NOT_PART = [
  ['Loans that were denied, canceled or transferred', 'nothing is owed here'],
  [
    'Messages, letters that were not stored as documents, tasks and webhooks',
    'they are the records of this system',
  ],
  [
    'Payments that failed, and draws of autopay that wait for a retry',
    'decide about them before you leave',
  ],
  [
    'Bank orders that were sent or wait to be sent',
    'the bank answers the system that gives the order. Send the last file and wait for its returns',
  ],
  [
    'Due dates that autopay missed before the import',
    'they count as drawn, so that nothing is drawn twice',
  ],
  [
    'Statements that were frozen',
    'their PDFs are documents. The next statement continues from the totals of the loan',
  ],
  ['Payoff quotes', 'the amounts of the same days follow from the loan'],
  ['Earlier schedules', 'the import makes the present one from the first one and all events'],
  [
    'Credit files and disputes',
    'the bureaus know them. The payment history profile and the date of first delinquency are part',
  ],
  ['Forms 1099-C', 'they were filed from here. Keep them'],
  ['Sanctions screenings', 'the new system screens everybody again'],
  [
    'Hardship applications, and numbers, messages, attachments and closing times of cases',
    'their decisions are part: reliefs and cases',
  ],
  ['Released co-borrowers, archived addresses, identities and accounts', 'they no longer count'],
  [
    'Dynamic portfolios, sales, remittances and snapshots',
    'they follow from the loans, or are reports of the past',
  ],
  ['Liquidations of collateral', 'their proceeds are payments'],
  ['Journal entries, daily interest and closes', 'the trial balance is part. Keep the old ledger'],
  [
    'The texts from which documents were printed, and when something was verified',
    'the files are part, and that it is verified',
  ],
  [
    'Who did something, and the history of changes',
    'the users of this system are not users elsewhere. Notes name their authors',
  ],
  [
    'Users, roles, templates, imports and other settings',
    'they belong to the installation. `settings.csv` has those on which figures depend',
  ],
] as const;

/** The text of the README in a book. */
export const aboutTheBook = (
  { today }: Pick<Work, 'today'>,
  request: BookRequest,
): string => `# Book of loans as of ${today}

${scopeText(request.scope)} Each CSV file has the columns that the guide "The book format" lists.
Texts that a spreadsheet would run as formulas begin with an apostrophe. The import removes it.
${
  request.with_personal_numbers
    ? 'Personal numbers are complete: keep this book as safe as the database.'
    : 'Personal numbers have only their last digits. `npm run ops -- export-book --personal-numbers yes` writes them.'
}${
  leavesOutInternal(request)
    ? '\nPrices of sales, internal notes and the names of officers are left out, because they concern the previous servicer.'
    : ''
}

## What is not part

${NOT_PART.map(([what, why]) => `- ${what}: ${why}.`).join('\n')}
`;

function scopeText({ portfolio_id, servicing_transfer_id }: BookRequest['scope']): string {
  if (portfolio_id !== null) return `It has the loans of the portfolio ${portfolio_id}.`;
  if (servicing_transfer_id !== null)
    return `It has the loans of the servicing transfer ${servicing_transfer_id}, for the new servicer.`;
  return 'It has all loans.';
}
