import { dictionary } from '../../../sql/dictionary.ts';
import { isRoutingNumber } from '../../banks/routing-number.ts';

/** The corrected values. Null means that the notice does not correct the value. */
export type Correction = {
  routing_number: string | null;
  account_number: string | null;
  account_type: 'checking' | 'savings' | null;
};

/** The columns of the 29 characters of corrected data, counted from zero. */
type Fields = { routing?: [number, number]; account?: [number, number]; type?: [number, number] };

/**
 * Source: Lead Bank, "Notification of Change"; moov-io/ach, addenda98.go (columns of the corrected data).
 */
const LAYOUTS = dictionary<Fields>({
  C01: { account: [0, 17] },
  C02: { routing: [0, 9] },
  C03: { routing: [0, 9], account: [12, 29] },
  C05: { type: [0, 2] },
  C06: { account: [0, 17], type: [20, 22] },
  C07: { routing: [0, 9], account: [9, 26], type: [26, 28] },
});

const MEANINGS = dictionary<string>({
  C01: 'account number',
  C02: 'routing number',
  C03: 'routing number and account number',
  C04: 'name of the receiver',
  C05: 'type of the account',
  C06: 'account number and type of the account',
  C07: 'routing number, account number and type of the account',
  C08: 'receiving bank of an international entry',
  C09: 'identification of the receiver',
  C10: 'name of the company (nacha.company_name)',
  C11: 'identification of the company (nacha.company_id)',
  C12: 'name and identification of the company (nacha.company_name, nacha.company_id)',
  C13: 'format of the addenda',
  C14: 'class of an international entry',
});

export const describeChangeCode = (code: string) => MEANINGS[code] ?? `entry (${code})`;

/** Corrections of the originating company concern the settings, not a borrower's account. */
export const isOfCompany = (code: string) => ['C10', 'C11', 'C12'].includes(code);

/** C61 to C69: a bank refuses a notice and corrects nothing. */
export const isRefusedChangeCode = (code: string) => /^C6[1-9]$/.test(code);

/**
 * Parses the corrected data of a notification of change. Returns null if it corrects no account or if any
 * part is invalid: a correction is never applied partially.
 */
export function parseCorrection(code: string, data: string): Correction | null {
  const layout = LAYOUTS[code];
  if (layout === undefined) return null;
  const part = (columns: [number, number] | undefined) =>
    columns === undefined ? null : data.slice(...columns).trim();
  const [routing_number, account_number] = [part(layout.routing), part(layout.account)];
  const transaction = part(layout.type);
  const account_type = transaction === null ? null : typeOf(transaction);
  const isReadable =
    (routing_number === null || isRoutingNumber(routing_number)) &&
    (account_number === null || /^\d{4,17}$/.test(account_number)) &&
    account_type !== undefined;
  return isReadable ? { routing_number, account_number, account_type } : null;
}

/** The first digit of a transaction code means checking (2) or savings (3). */
function typeOf(transactionCode: string): 'checking' | 'savings' | undefined {
  if (!/^[23][1-9]$/.test(transactionCode)) return undefined;
  return transactionCode.startsWith('2') ? 'checking' : 'savings';
}
