import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '../../jobs/files/read-csv.ts';

test('fields of CSV keep quotes, commas and line breaks, in pieces of any size', async () => {
  const record = fc.array(fc.string(), { minLength: 2, maxLength: 6 });
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(record),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      async (records, end, size) => {
        const csv = records.map((fields) => fields.map(quote).join(',') + end).join('');
        const bytes = Buffer.from(csv);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const read = await Array.fromAsync(readCsv(pieces));
        expect(read.map(({ fields }) => fields)).toEqual(records);
      },
    ),
  );
});
