/** Country calling codes of two digits (ITU-T E.164). +1 and +7 have one digit, all others three. */
const TWO_DIGITS = /^\+(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * Writes a number as its readers do: (202) 555-0100 for +12025550100 and +49 301 234 567 for +49301234567.
 * A number that is not in the international format, or is already divided, stays unchanged.
 */
export function formatPhone(phone: string): string {
  const [, area, exchange, line] =
    /^\+1[ .-]?\(?(\d{3})\)?[ .-]?(\d{3})[ .-]?(\d{4})$/.exec(phone) ?? [];
  if (area !== undefined) return `(${area}) ${exchange}-${line}`;
  if (!/^\+\d{7,15}$/.test(phone)) return phone;
  const length = /^\+[17]/.test(phone) ? 2 : TWO_DIGITS.test(phone) ? 3 : 4;
  const rest = phone.slice(length).replace(/\d{3}(?=\d{2})/g, '$& ');
  return `${phone.slice(0, length)} ${rest}`;
}
