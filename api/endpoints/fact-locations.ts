import { dictionary } from '../../sql/dictionary.ts';
import { JOURNALED_FIELD, LEDGER_FIELDS, DERIVED_FIELDS } from './derived-facts.ts';
import type { Route } from './route.ts';
import { derivedFieldsByFact } from './field-vocabulary.ts';

/** A denied field, as a rule names it. */
export type Fact = { resource: string; field: string };
/**
 * A field that reveals a fact. If `is_anywhere` is set, the name has the same meaning on every resource.
 */
type FactLocation = Fact & { is_anywhere: boolean };

/**
 * Names whose meaning differs between resources. Any other denied name is removed from every answer that
 * has a field of that name.
 */
const AMBIGUOUS = new Set(
  [
    'account account_code account_holder_name account_number_last_four account_type action amount',
    'approved_at attempts balance balance_after balance_before bank_name body cancel_reason',
    'canceled_at changes channel checks code completed_at component consecutive_failures content_type',
    'count created_at credit currency days debit description details due_date effective_date email',
    'end_date entry_date error_code error_message events expiration_date expires_at external_id',
    'failed failed_at failure_reason fees file_size filename first_name format frequency grace_days',
    'installment_number installments instrument_type interest is_active is_archived is_current',
    'is_primary is_verified language last_name lines message metadata method name new notes old',
    'payment_method phone posted_at principal priority processes provider reason reference_number',
    'reference_type rejection_reason return_code reversal_reason reversed_at role routing_number rule',
    'running settled_on settlement_date sha256_hash skipped source start_date state status subject',
    'time_zone title total treatment type updated_at verified_at version waiting',
  ].flatMap((line) => line.split(' ')),
);
/** Links between records. A denied link is hidden only on the resource that the rule names. */
const REFERENCE_NAME = /(^|_)(ids?|by)$/;
const isAmbiguous = (field: string) => AMBIGUOUS.has(field) || REFERENCE_NAME.test(field);

/** Answers that describe records of another resource, with the same field names. */
const DESCRIBED_RESOURCE = dictionary({
  'ledger/gl-detail': 'ledger/entries',
  'ledger/sub-ledger': 'ledger/entries',
  'loan-snapshots': 'loans',
  'loan-tapes': 'loans',
});

/**
 * Free texts that were generated from records or contain statements about them. Their content cannot be
 * checked, so a user who is denied any field does not see them.
 */
const FREE_TEXT_FIELDS = dictionary<readonly string[]>({
  approvals: ['ended_because'],
  'communication-logs': ['subject', 'body', 'metadata'],
  communications: ['subject', 'body', 'metadata', 'reasons'],
  'credit-corrections': ['before', 'after', 'corrected_values'],
  'credit-disputes': ['corrected_values'],
  'credit-reporting-findings': ['rule', 'problem', 'fields', 'may_be_right'],
  'credit-reporting-records': ['consumer'],
  // Staff name files after what is in them, such as an identity theft report.
  documents: ['filename', 'storage_key', 'metadata', 'verification_notes', 'rejection_reason'],
  'dead-letters': ['response_body', 'error'],
  'webhook-attempts': ['response_body', 'error'],
  'webhook-deliveries': ['error'],
  loans: ['message', 'details'],
});

/** Parts of an answer that can hold fields of any record under their own names. */
const OPEN_ENDED_FIELDS = dictionary<readonly string[]>({
  approvals: ['params', 'body', 'content'],
  'dead-letters': ['payload'],
  'webhook-deliveries': ['payload'],
});

const parseLocation = (location: string): FactLocation => {
  const at = location.lastIndexOf('.');
  const resource = location.slice(0, at);
  return { resource, field: location.slice(at + 1), is_anywhere: resource === '*' };
};

/**
 * Returns the fact and every other field that reveals it, including fields that the routes declare as
 * derived.
 */
export function findFactLocations(
  { resource, field }: Fact,
  routes: readonly Route[],
): FactLocation[] {
  const name = `${resource}.${field}`;
  const elsewhere = [
    ...(DERIVED_FIELDS[name] ?? []),
    ...(JOURNALED_FIELD.test(name) ? LEDGER_FIELDS : []),
  ];
  const derived = derivedFieldsByFact(routes).get(name) ?? [];
  const is_anywhere = resource === '*' || !isAmbiguous(field);
  return [
    { resource, field, is_anywhere },
    ...elsewhere.map(parseLocation),
    ...derived.map((place) => ({ ...place, is_anywhere: false })),
  ];
}

/** Whether answers and bodies of the resource contain this field. */
export const isExposedBy = (resource: string, place: FactLocation): boolean =>
  place.is_anywhere ||
  place.resource === resource ||
  place.resource === DESCRIBED_RESOURCE[resource];

/** The free texts of the resource, hidden from users who are denied any field. */
export const freeTextFields = (resource: string): readonly string[] =>
  FREE_TEXT_FIELDS[resource] ?? [];

/** The parts of the resource's answers that are searched for every denied name. */
export const openEndedFields = (resource: string): readonly string[] =>
  OPEN_ENDED_FIELDS[resource] ?? [];
