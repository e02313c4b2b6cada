import type { Big } from 'big.js';

/** A fee while the fold applies a loan's events. */
export type Fee = {
  fee_id: string;
  fee_type: string;
  amount: Big;
  paid: Big;
  waived: Big;
  /** Capitalized, charged off, written off or transferred. */
  moved: Big;
  assessed_date: string;
  installment_number: number | null;
  /** Each installment asks for a part of the fee. */
  is_spread: boolean;
};
