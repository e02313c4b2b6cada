import { expect, test } from 'vitest';
import { formatPhone } from '../../templates/phone-numbers.ts';
import { renderDocument } from '../../templates/render-document.ts';
import { statement } from '../../templates/samples.ts';

test.each([
  ['+14155550123', '(415) 555-0123'],
  ['+1 202 555 0100', '(202) 555-0100'],
  ['+1 (202) 555-0100', '(202) 555-0100'],
  ['+442079460123', '+44 207 946 0123'],
  ['+525512345678', '+52 551 234 5678'],
  ['+35312345678', '+353 123 456 78'],
  ['+79161234567', '+7 916 123 4567'],
])('the number %s is printed as %s', (stored, printed) => {
  expect(formatPhone(stored)).toBe(printed);
});

test.each(['(800) 555-0142', '+49 30 1234567', '1-800-HELP-NOW', '+1 202 555 0100 ext. 5', ''])(
  'a number that its lender already divided stays unchanged: %j',
  (phone) => {
    expect(formatPhone(phone)).toBe(phone);
  },
);

test('letters print the lender’s number in the national form, in both languages', () => {
  const branding = { ...statement.tenant.branding, support_phone: '+14155550123' };
  const data = { ...statement, tenant: { ...statement.tenant, branding } };

  for (const language of ['en', 'es']) {
    const page = renderDocument('monthly_statement', language, data);

    expect(page).toContain('(415) 555-0123');
    expect(page).not.toContain('4155550123');
  }
});
