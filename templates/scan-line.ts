/**
 * The line of a payment slip that a lockbox reads: the letters and digits of the loan number, the amount
 * due in cents with at least ten digits, and a check digit over both. The check digit follows the Luhn
 * formula (ISO/IEC 7812-1, annex B) and detects a misread digit. A letter counts as two digits, from A = 10
 * to Z = 35, as in an ISIN.
 *
 * Example: LN-0000042 and 656.36 become LN0000042 0000065636, followed by the check digit.
 */
export function scanLine(loanNumber: string, amountDue: string): string {
  const account = loanNumber.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const cents = amountDue.replace('.', '').padStart(10, '0');
  return `${account} ${cents} ${checkDigit(account + cents)}`;
}

/** Takes digits and capital letters. Every second digit counts twice, starting with the last one. */
function checkDigit(characters: string): number {
  const digits = Array.from(characters, (character) => Number.parseInt(character, 36)).join('');
  const total = Array.from(digits).reduceRight(
    (sum, digit, index) => sum + weightedDigit(Number(digit), (digits.length - index) % 2 === 1),
    0,
  );
  return (10 - (total % 10)) % 10;
}

function weightedDigit(digit: number, isDoubled: boolean): number {
  const value = isDoubled ? digit * 2 : digit;
  return value > 9 ? value - 9 : value;
}
