import type { FeeRule } from '../../loans/products/fee-rules.ts';
import type { Conventions } from './conventions.ts';
import type { FoundConventions } from './find-conventions.ts';

/** The fields of a product that computes as the other system does. The lag of payments belongs to the mapping. */
export type ProductSettings = {
  interest_method: Conventions['interest_method'];
  day_count: Conventions['day_count'];
  rounding_mode: Conventions['interest_rounding'];
  extra_payment_to: Conventions['extra_payment_to'];
  installment_rounding?: string;
  installment_calculation?: string;
  allocation_order?: string;
  late_fee_grace_days?: number;
  fee_rules?: FeeRule[];
};

export function productOfConventions(found: FoundConventions): ProductSettings | null {
  const conventions = found.ranking[0]?.conventions;
  if (conventions === undefined) return null;
  const { interest_method, day_count, interest_rounding, extra_payment_to } = conventions;
  const { application_order, late_fees } = conventions;
  const isKnownRule = found.installment !== null && found.installment.loans_agreeing > 0;
  return {
    interest_method,
    day_count,
    rounding_mode: interest_rounding,
    extra_payment_to,
    ...(application_order !== 'as_agreed' && { allocation_order: application_order }),
    ...(isKnownRule && {
      installment_rounding: found.installment?.installment_rounding,
      installment_calculation: found.installment?.installment_calculation,
    }),
    ...(typeof late_fees === 'object' && {
      late_fee_grace_days: late_fees.grace_days,
      fee_rules: [
        {
          ...late_fees.rule,
          treatment: 'upfront',
          late_fee_rule: 'standard',
          grace_days: late_fees.grace_days,
        },
      ],
    }),
  } as ProductSettings;
}
