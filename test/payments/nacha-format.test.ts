import { expect, test } from 'vitest';
import { batchKey, renderNachaFile } from '../../jobs/payments/nacha/render-file.ts';
import { expectControls, ORIGINATOR, parseNachaFile } from '../setup/nacha.ts';

test('a file matches the rules character by character', () => {
  const file = renderNachaFile(
    ORIGINATOR,
    {
      file_date: '2026-02-17',
      file_time: '0930',
      file_id_modifier: 'A',
      effective_entry_date: '2026-02-18',
    },
    [
      {
        batch: batchKey('PPD', '225', 'LOAN PMT'),
        transaction_code: '27',
        routing_number: '021000021',
        account_number: '000123456789',
        amount: '315.68',
        individual_id: 'R-0123456789AB',
        individual_name: 'Grace Hopper',
        trace_number: '091000010000001',
        is_recurring: true,
      },
      {
        batch: batchKey('PPD', '220', 'LOAN FUND'),
        transaction_code: '32',
        routing_number: '121000248',
        account_number: '42',
        amount: '10000.00',
        individual_id: 'LN-2026-000001',
        individual_name: 'Zoë Núñez-Ångström of the Long Name',
        trace_number: '091000010000002',
        is_recurring: false,
      },
    ],
  );

  expect(file.split('\r\n')).toEqual([
    '101 09100001912345678902602170930A094101SETTLING BANK          ACME LENDING                   ',
    '5225ACME LENDING                        1234567890PPDLOAN PMT  260217260218   1091000010000001',
    '627021000021000123456789     0000031568R-0123456789AB GRACE HOPPER            0091000010000001',
    '822500000100021000020000000315680000000000001234567890                         091000010000001',
    '5220ACME LENDING                        1234567890PPDLOAN FUND 260217260218   1091000010000002',
    '63212100024842               0001000000LN-2026-000001 ZOE NUNEZ-ANGSTROM OF   0091000010000002',
    '822000000100121000240000000000000000010000001234567890                         091000010000002',
    '9000002000001000000020014200026000000031568000001000000                                       ',
    ...Array.from({ length: 2 }, () => '9'.repeat(94)),
    '',
  ]);
  expectControls(parseNachaFile(file));
});
