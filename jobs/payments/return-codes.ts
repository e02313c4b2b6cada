import { dictionary } from '../../sql/dictionary.ts';

/** Why banks send a debit back (Nacha Operating Rules, Appendix Four); others are told by their code. */
export const RETURN_REASONS = dictionary<string>({
  R01: 'Insufficient funds',
  R02: 'Account closed',
  R03: 'No account, or unable to locate the account',
  R04: 'Invalid account number',
  R05: 'Unauthorized debit to a consumer account',
  R06: "Returned at the originator's request",
  R07: 'Authorization revoked by the customer',
  R08: 'Payment stopped',
  R09: 'Uncollected funds',
  R10: 'Customer advises that the debit was not authorized',
  R11: 'Customer advises that the entry is not as authorized',
  R12: 'Account sold to another bank',
  R13: 'Routing number not valid',
  R14: 'Representative payee deceased',
  R15: 'Account holder deceased',
  R16: 'Account frozen',
  R17: 'File record edit criteria',
  R20: 'Not a transaction account',
  R29: 'Corporate customer advises that the debit was not authorized',
});

export const reasonOf = (code: string): string => RETURN_REASONS[code] ?? `Returned with ${code}`;

/** After one of these nothing more may be drawn: autopay rests and the instrument is blocked. */
const FINAL = new Set(['R02', 'R03', 'R04', 'R07', 'R10', 'R29']);
export const isFinal = (code: string): boolean => FINAL.has(code);

/** Too little money: may be asked for again, at most twice, and is what a fee may be charged for. */
export const isForFunds = (code: string): boolean => code === 'R01' || code === 'R09';
