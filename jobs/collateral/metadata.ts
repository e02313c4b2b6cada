import { z } from 'zod';
import { integer, money, text } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';

export const COLLATERAL_TYPES = [
  'real_estate',
  'vehicle',
  'equipment',
  'inventory',
  'accounts_receivable',
  'securities',
  'other',
] as const;
export type CollateralType = (typeof COLLATERAL_TYPES)[number];

const year = integer.min(1500).max(2200);
const count = integer.min(0);
const quantity = z.union([z.number().min(0), z.string().regex(/^\d{1,13}(\.\d{1,6})?$/)], {
  error: 'Must be a number.',
});

/**
 * A VIN has no I, O or Q, because they look like digits. It may have fewer than 17 characters before 1981.
 */
const vin = z
  .string()
  .regex(/^[A-HJ-NPR-Z0-9]{5,17}$/i, 'Must be a vehicle identification number.');

/** The metadata keys that the specification names for each type. Other keys are stored unchecked. */
const METADATA_FIELDS: Record<CollateralType, Record<string, z.ZodType>> = {
  real_estate: {
    property_type: text,
    year_built: year,
    square_footage: quantity,
    parcel_number: text,
  },
  vehicle: { make: text, model: text, year, vin, mileage: count },
  equipment: { manufacturer: text, model: text, serial_number: text, condition: text },
  inventory: { category: text, quantity, unit_value: money },
  accounts_receivable: { debtor_count: count, aging_summary: z.unknown() },
  securities: { security_type: text, ticker: text, shares: quantity, custodian: text },
  other: {},
};

/** Throws `Invalid` if a known key has an invalid value. Null is valid and means unknown. */
export function assertMetadata(type: CollateralType, metadata: Record<string, unknown>) {
  const errors: Record<string, string> = {};
  for (const [key, schema] of Object.entries(METADATA_FIELDS[type])) {
    const value = metadata[key];
    if (value === undefined || value === null) continue;
    const checked = schema.safeParse(value);
    const message = checked.error?.issues[0]?.message;
    if (message !== undefined) errors[`metadata.${key}`] = message;
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
