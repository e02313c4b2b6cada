import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InboundMessage } from '../../jobs/communications/inbound/receive-message.ts';
import { maskPersonalNumbers, maskPersonalNumbersIn } from '../../sql/personal-numbers.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const UUID = '12345678-1234-4242-8242-424242424242';

test.each([
  ['123-45-6789', '***-**-6789'],
  ['His is 123 45 6789.', 'His is ***-**-6789.'],
  ['123\u201145\u20116789, 123.45.6789', '***-**-6789, ***-**-6789'],
  ['(912-71-6789)', '(***-**-6789)'],
  ['SSN 123456789', 'SSN ***-**-6789'],
  ['ssn:123456789 and ITIN = 912-716789', 'ssn:***-**-6789 and ITIN = ***-**-6789'],
  ['Social Security number is 123456789', 'Social Security number is ***-**-6789'],
  ['**SSN**: 123456789', '**SSN**: ***-**-6789'],
  ['SSN-123-45-6789', 'SSN-***-**-6789'],
  ['123456789 is her social', '***-**-6789 is her social'],
  ['123456789 (SSN)', '***-**-6789 (SSN)'],
  ['card 4242424242424242', 'card **** **** **** 4242'],
  ['4242 4242 4242 4242, exp 12/29', '**** **** **** 4242, exp 12/29'],
  ['4242-4242-4242-4242', '**** **** **** 4242'],
  ['3782 822463 10005 and 378282246310005', '**** **** **** 0005 and **** **** **** 0005'],
  ['5555555555554444/6011111111111117', '**** **** **** 4444/**** **** **** 1117'],
  ['2223003122003222, 4222222222222', '**** **** **** 3222, **** **** **** 2222'],
  ['4111 1111 1111 1111 12/28', '**** **** **** 1111 12/28'],
  ['4111 1111 1111 1111 123', '**** **** **** 1111 123'],
  ['4111-1111-1111-1111-123', '**** **** **** 1111-123'],
  ['4111111111111111,1228', '**** **** **** 1111,1228'],
  ['1234 5678 4111 1111 1111 1111', '1234 5678 **** **** **** 1111'],
  ['4111  1111  1111  1111', '**** **** **** 1111'],
  ['4111 - 1111 - 1111 - 1111', '**** **** **** 1111'],
  ['4111111111111111x, 4111111111111111exp', '**** **** **** 1111x, **** **** **** 1111exp'],
  ['１１ ４１１１１１１１１１１１１１１１ é', '１１ **** **** **** 1111 é'],
  ['SSN 123 - 45 - 6789', 'SSN ***-**-6789'],
  ['SSN 123/45/6789', 'SSN ***-**-6789'],
  ['123-45 6789', '***-**-6789'],
  ['SSN 123  45  6789', 'SSN ***-**-6789'],
  ['ＳＳＮ １２３-４５-６７８９ Ｌtd', 'ＳＳＮ ***-**-6789 Ｌtd'],
  ['ssn 987654321 / 123456789', 'ssn ***-**-4321 / ***-**-6789'],
])('%s is kept as %s', (given, kept) => {
  expect(maskPersonalNumbers(given)).toBe(kept);
});

test.each([
  ['4242424242424241 is no card: its digits do not add up'],
  ['1234567812345670 adds up, and no issuer begins so'],
  ['20260131120000 and 1700000000000 are times'],
  ['(415) 555-2671, 415-555-2671, +1 415 555 2671, 4155552671'],
  ['+36 123 45 6789, +424242424242424242'],
  ['$4242424242424242.00, 1234567890123.45, 123,456,789.00'],
  ['LN-2026-000123, LN-123-45-6789, DM-B-00001, 12345-6789'],
  ['routing 021000021, account 123456789, ZIP 22201-1234'],
  ['SSN verified. Routing 021000021'],
  ['000-12-3456, 123-00-4567, 123-45-0000'],
  [`${UUID} 2026-01-31T12:00:00Z`],
  ['SSN ***-**-6789, last four 6789, **** **** **** 4242'],
  ['a4242424242424242b 4242424242424242424242'],
  ['ｆｉｎｅ ½ ﬁne 1２3'],
  ['SSN verified / loan 123456789'],
  ['2026-03-16 10/12/2026 to 12/31/2026, 100 / 20 / 3000'],
])('nothing is masked in: %s', (text) => {
  expect(maskPersonalNumbers(text)).toBe(text);
});

test('texts in JSON are masked at every level, and a key may say what nine digits are', () => {
  const masked = maskPersonalNumbersIn({
    ssn: '123456789',
    borrower: { social_security_number: 123456789, routing_number: '021000021', id: UUID },
    list: ['4242424242424242', 4242424242424242, 12.5, true, null],
    ssn_last_four: '6789',
    'Social Security': '123456789',
    social: 123456789,
    tin: '123456789',
    borrowerTin: '123456789',
    setting: '123456789',
    social_worker_phone: '4155552671',
  });

  expect(masked).toEqual({
    ssn: '***-**-6789',
    borrower: { social_security_number: '***-**-6789', routing_number: '021000021', id: UUID },
    list: ['**** **** **** 4242', '**** **** **** 4242', 12.5, true, null],
    ssn_last_four: '6789',
    'Social Security': '***-**-6789',
    social: '***-**-6789',
    tin: '***-**-6789',
    borrowerTin: '***-**-6789',
    setting: '123456789',
    social_worker_phone: '4155552671',
  });
});

test('masking a masked text changes nothing', () => {
  const pieces =
    '123-45-6789 123456789 ssn social 4242424242424242 4242 -67 6789 * - ( 1 is SSN: ***-**-6789 / １ x 4111111111111111'.split(
      ' ',
    );
  const text = fc.array(fc.constantFrom(' ', ' ', ...pieces), { maxLength: 14 });
  fc.assert(
    fc.property(text, (chosen) => {
      const once = maskPersonalNumbers(chosen.join(''));

      expect(maskPersonalNumbers(once)).toBe(once);
    }),
    { numRuns: 20_000 },
  );
});

test('a personal number in free text reaches no record, history or repeated answer', async () => {
  const { officer, admin, id, loan } = await writer();
  const sentence = 'Called. SSN 123-45-6789, card 4242 4242 4242 4242';
  const kept = 'Called. SSN ***-**-6789, card **** **** **** 4242';
  const keyed = { headers: { 'Idempotency-Key': 'a-task' } };
  const words = { title: sentence, description: sentence };

  const task = await officer.post(`/borrowers/${id}/tasks`, words, keyed);
  const again = await officer.post(`/borrowers/${id}/tasks`, words, keyed);
  const borrower = await officer.put(`/borrowers/${id}`, {
    metadata: { memo: sentence, ssn: '123456789' },
  });
  const noted = await admin.put(`/loans/${loan}`, { metadata: { deep: [{ memo: sentence }] } });
  const history = await admin.get(`/borrowers/${id}/history`);
  const wrong = await officer.put(`/borrowers/${id}`, { ssn_last_four: '123456789' });

  expect(task.body).toMatchObject({ title: kept, description: kept });
  expect(again.body).toEqual(task.body);
  expect(borrower.body.metadata).toEqual({ memo: kept, ssn: '***-**-6789' });
  expect(noted.body.metadata).toEqual({ deep: [{ memo: kept }] });
  expect(JSON.stringify(history.body)).toContain('***-**-6789');
  expect(JSON.stringify(history.body)).not.toMatch(/123-45-6789|123456789|4242 4242/);
  expect(wrong.status).toBe(422);
});

test('a borrower’s mails and texts are masked before they are stored', () => {
  const message = InboundMessage.parse({
    from: '+14155552671',
    subject: 'My SSN 123456789',
    body: 'It is 123-45-6789',
    message_id: '1',
  });

  expect(message).toMatchObject({ subject: 'My SSN ***-**-6789', body: 'It is ***-**-6789' });
});

async function writer() {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  return { officer: tenant.officer, admin, id: loan.borrower_id, loan: loan.id };
}
