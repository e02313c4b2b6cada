/**
 * What a lockbox reads of a payment slip: the letters and digits of the loan number, the amount due in cents with at
 * least ten digits, and a check digit over both by the Luhn formula (ISO/IEC 7812-1, annex B), so that a digit that was
 * read wrongly is found. A letter counts as two digits, A as 10 to Z as 35, as in an ISIN.
 *
 *   LN-0000042, 656.36 → LN0000042 0000065636 and the check digit
 */
export function scanLine(loanNumber: string, amountDue: string): string {
  const account = loanNumber.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const cents = amountDue.replace('.', '').padStart(10, '0');
  return `${account} ${cents} ${checkDigit(account + cents)}`;
}

/** Of digits and capital letters: every second digit from the right, beginning with the last, counts twice. */
function checkDigit(characters: string): number {
  const digits = Array.from(characters, (character) => Number.parseInt(character, 36)).join('');
  const total = Array.from(digits).reduceRight(
    (sum, digit, index) => sum + weighed(Number(digit), (digits.length - index) % 2 === 1),
    0,
  );
  return (10 - (total % 10)) % 10;
}

function weighed(digit: number, isDoubled: boolean): number {
  const value = isDoubled ? digit * 2 : digit;
  return value > 9 ? value - 9 : value;
}
