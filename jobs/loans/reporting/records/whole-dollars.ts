/** Exact: "1234.56" is 123456n. */
export const cents = (amount: string) => BigInt(amount.replace('.', ''));
/** Whole dollars; cents are cut off. */
export const dollars = (amount: string) => String(cents(amount) / 100n);
