import { dictionary } from '../../sql/dictionary.ts';

/**
 * The effect of a return on the bank account.
 * - blocks_account: no draws until the account is corrected.
 * - revokes_authorization: no draws until there is a new authorization.
 * - stops_payment: no draws until the borrower agrees again.
 */
type Effect = 'none' | 'blocks_account' | 'revokes_authorization' | 'stops_payment';

export type ReturnCode = {
  meaning: string;
  /** Who has to correct it. */
  fault: 'borrower' | 'sender' | 'bank';
  /** The bank's time limit: two banking days, or sixty calendar days for consumer accounts. */
  limit: '2 banking days' | '60 days' | 'none';
  /** Whether the same entry may be presented again: at most twice, within 180 days. */
  may_retry: boolean;
  effect: Effect;
  /** Whether it counts towards the unauthorized return rate. */
  is_unauthorized: boolean;
};

const code = (
  meaning: string,
  fault: ReturnCode['fault'],
  effect: Effect = 'none',
  more: Partial<ReturnCode> = {},
): ReturnCode => ({
  meaning,
  fault,
  effect,
  limit: '2 banking days',
  may_retry: false,
  is_unauthorized: false,
  ...more,
});

const RETRY = { may_retry: true } as const;
const UNAUTHORIZED = { is_unauthorized: true } as const;
const SIXTY_DAYS = { limit: '60 days' } as const;
const NO_LIMIT = { limit: 'none' } as const;

/**
 * Why banks return an entry. The Nacha Operating Rules are not public, so this table follows what banks
 * publish about them:
 *
 * - Meanings and time limits: PayNearMe, "ACH Return Codes"; moov-io/ach, docs/returns.md. They differ on
 *   R06; the time limit here is the one on which the two banks below agree.
 * - Retries and what the sender must stop: Bank Five Nine, "ACH Return Reference Guide" and "Reinitiating
 *   Returned ACH Debit Items"; Bank of Houston, "Originator ACH Rules" (R05, R07, R08, R10).
 * - Codes that count as unauthorized: Federal Reserve Financial Services, "R11 returns" (R05, R07, R10,
 *   R11, R29, R51).
 *
 * Codes for entries that the platform never sends (RCK, IAT, ENR, converted checks) are omitted, except
 * R51, which counts as unauthorized. A missing code is shown as it is.
 */
export const RETURN_CODES = dictionary<ReturnCode>({
  R01: code('Insufficient funds', 'borrower', 'none', RETRY),
  R02: code('Account closed', 'borrower', 'blocks_account'),
  R03: code('No account, or unable to locate the account', 'sender', 'blocks_account'),
  R04: code('Invalid account number', 'sender', 'blocks_account'),
  R05: code('Unauthorized debit to a consumer account', 'sender', 'revokes_authorization', {
    ...UNAUTHORIZED,
    ...SIXTY_DAYS,
  }),
  R06: code("Returned at the originator's request", 'sender', 'none', NO_LIMIT),
  R07: code('Authorization revoked by the customer', 'borrower', 'revokes_authorization', {
    ...UNAUTHORIZED,
    ...SIXTY_DAYS,
  }),
  R08: code('Payment stopped', 'borrower', 'stops_payment'),
  R09: code('Uncollected funds', 'borrower', 'none', RETRY),
  R10: code(
    'Customer advises that the debit was not authorized',
    'sender',
    'revokes_authorization',
    { ...UNAUTHORIZED, ...SIXTY_DAYS },
  ),
  R11: code('Customer advises that the entry is not as authorized', 'sender', 'none', {
    ...UNAUTHORIZED,
    ...SIXTY_DAYS,
  }),
  R12: code('Account sold to another bank', 'borrower', 'blocks_account'),
  R13: code('Routing number not valid', 'sender', 'blocks_account', NO_LIMIT),
  R14: code('Representative payee deceased', 'borrower', 'blocks_account'),
  R15: code('Account holder deceased', 'borrower', 'blocks_account'),
  R16: code('Account frozen, or returned on an instruction of OFAC', 'borrower', 'blocks_account'),
  R17: code('Field error, suspicious entry to an invalid account, or improper reversal', 'sender'),
  R18: code('Improper effective entry date', 'sender', 'none', NO_LIMIT),
  R19: code('Amount field error', 'sender', 'none', NO_LIMIT),
  R20: code('Not a transaction account', 'borrower', 'blocks_account'),
  R21: code('Invalid company identification', 'sender'),
  R22: code('Invalid individual identification', 'sender'),
  R23: code('Credit refused by the receiver', 'borrower', 'blocks_account', NO_LIMIT),
  R24: code('Duplicate entry', 'sender'),
  R25: code('Addenda error', 'sender', 'none', NO_LIMIT),
  R26: code('Mandatory field error', 'sender', 'none', NO_LIMIT),
  R27: code('Trace number error', 'sender', 'none', NO_LIMIT),
  R28: code('Routing number has a wrong check digit', 'sender', 'blocks_account', NO_LIMIT),
  R29: code(
    'Corporate customer advises that the debit was not authorized',
    'sender',
    'revokes_authorization',
    UNAUTHORIZED,
  ),
  R31: code('Returned with the permission of the originating bank', 'sender', 'none', NO_LIMIT),
  R32: code('The receiving bank cannot settle the entry', 'bank', 'none', NO_LIMIT),
  R34: code("A regulator limits the receiving bank's participation", 'bank', 'none', NO_LIMIT),
  R51: code('Item is ineligible, or its notice was not provided', 'sender', 'none', {
    ...UNAUTHORIZED,
    ...SIXTY_DAYS,
  }),
});

/**
 * The kind of a return code. R61 to R77 refer to an earlier return and do not return a payment themselves.
 */
export type ReturnClass = 'return' | 'dishonored' | 'contested';

/**
 * R61 to R70 dishonor a return; R71 to R77 contest the dishonor (iCheckGateway, "NACHA ACH Processing
 * Return Codes").
 */
export function classifyReturnCode(returnCode: string): ReturnClass {
  const number = Number(returnCode.slice(1));
  if (number >= 61 && number <= 70) return 'dishonored';
  return number >= 71 && number <= 77 ? 'contested' : 'return';
}

export const returnReason = (returnCode: string): string =>
  RETURN_CODES[returnCode]?.meaning ?? `Returned with ${returnCode}`;

export const returnEffect = (returnCode: string): Effect =>
  RETURN_CODES[returnCode]?.effect ?? 'none';

/** True if no further draws are allowed: autopay is paused and the account is blocked. */
export const isFinalReturnCode = (returnCode: string): boolean =>
  returnEffect(returnCode) !== 'none';

/**
 * True for insufficient or uncollected funds: the draw may be retried at most twice, and a returned-payment
 * fee may be charged.
 */
export const isInsufficientFunds = (returnCode: string): boolean =>
  RETURN_CODES[returnCode]?.may_retry ?? false;

const REMEDIES: Readonly<Record<Effect, string>> = {
  none: 'Set its status to active to use it again.',
  blocks_account: 'Correct its routing or account number, or add another account.',
  revokes_authorization:
    'Obtain a new authorization from the borrower, then set its status to active.',
  stops_payment: 'Obtain the consent of the borrower to draw again, then set its status to active.',
};

/** Explains why an account is blocked and how to unblock it. */
export const accountBlockMessage = (returnCode: string | null): string =>
  returnCode === null
    ? `The account is blocked. ${REMEDIES.none}`
    : `The account is blocked: the bank returned ${returnCode} (${returnReason(returnCode)}). ${REMEDIES[returnEffect(returnCode)]}`;
