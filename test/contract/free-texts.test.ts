import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes.ts';

const SAID = 'SSN 123-45-6789';
type Definition = { innerType?: z.ZodType; element?: z.ZodType; options?: z.ZodType[] };

/** The names of the fields that store their text unmasked. */
function keeping(name: string, schema: z.ZodType): string[] {
  const { innerType, element, options = [] } = schema.def as Definition;
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.ZodType>(schema.shape).flatMap(([own, field]) => keeping(own, field));
  }
  const inner = [innerType, element, ...options].filter((part) => part !== undefined);
  if (inner.length > 0) return inner.flatMap((part) => keeping(name, part));
  return [SAID, { memo: SAID }, { key: { memo: SAID } }].some((given) =>
    JSON.stringify(schema.safeParse(given).data ?? '').includes('123-45-6789'),
  )
    ? [name]
    : [];
}

/** Texts that are not free prose and that a mask would damage. */
const KEPT = {
  names:
    'first_name middle_name last_name suffix name public_name legal_name contact_name payee_name appraiser_name ' +
    'account_holder_name bank_name carrier_name card_brand dba_name firm_name bureau_name confirm',
  addresses:
    'street_line_1 street_line_2 city state postal_code email url contact_phone extension time_zone ' +
    'contact_value website folder formation_state issuing_state bureau_address bureau_phone',
  identifiers:
    'external_id code loan_number reference_number reference_type account_id acdv_control_number ' +
    'filing_number filing_jurisdiction disputed_fields events checks labels bar_number document_version',
  secrets: 'password current_password new_password token identifier',
  // Its numbers are validated line by line.
  files: 'file',
  // They address every borrower and name none.
  templates: 'subject body opening closing response_subject response_body keywords pattern',
};

test('a full social security number is masked in every free text', () => {
  const names = routes.flatMap(({ body }) => (body ? keeping('body', body) : []));

  expect([...new Set(names)].toSorted()).toEqual(
    Object.values(KEPT)
      .flatMap((some) => some.split(' '))
      .toSorted(),
  );
});
