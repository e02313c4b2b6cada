/** What was paid before the events of a loan begin. Null: the sum is not known. */
export type PaidBefore = {
  principal: string | null;
  interest: string | null;
  fees: string | null;
  /** After a charge-off. Part of the total only. */
  recovered: string;
};

/** Of a loan whose events begin with it. */
export const NOTHING_PAID: PaidBefore = {
  principal: '0.00',
  interest: '0.00',
  fees: '0.00',
  recovered: '0.00',
};
