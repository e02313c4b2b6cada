import { dictionary } from '../../sql/dictionary.ts';
import { JOURNALED_FIELD, LEDGER_FIELDS, DERIVED_FIELDS } from './derived-facts.ts';
import type { Route } from './route.ts';
import { derivedFieldsByFact } from './field-vocabulary.ts';

/** A field that somebody is denied, as a rule names it. */
export type Fact = { resource: string; field: string };
/** Where a fact stands; or, by a name that means the same everywhere, on whatever has such a field. */
type Place = Fact & { is_anywhere: boolean };

/**
 * Names that mean something else on each record. A denied field of another name is taken out of every
 * answer that has one of that name, since it tells the same there.
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
/** Whom or what a record belongs to is its own matter; what hides a link, hides it where it is named. */
const LINK = /(^|_)(ids?|by)$/;
const isAmbiguous = (field: string) => AMBIGUOUS.has(field) || LINK.test(field);

/** Answers that are about the records of another resource, in the same words. */
const ABOUT = dictionary({
  'ledger/gl-detail': 'ledger/entries',
  'ledger/sub-ledger': 'ledger/entries',
  'loan-snapshots': 'loans',
  'loan-tapes': 'loans',
});

/**
 * Texts that were made of records, or of what others said of them: nobody can tell what is in them, and
 * whoever is denied any field is not shown them.
 */
const TEXTS = dictionary<readonly string[]>({
  'communication-logs': ['subject', 'body', 'metadata'],
  communications: ['subject', 'body', 'metadata', 'reasons'],
  'credit-disputes': ['corrected_values'],
  'credit-reporting-records': ['consumer'],
  'dead-letters': ['response_body', 'error'],
  'webhook-attempts': ['response_body', 'error'],
  'webhook-deliveries': ['error'],
  loans: ['message', 'details'],
});

/** Parts of an answer that hold the fields of any record, under the names that they have there. */
const ANYTHING = dictionary<readonly string[]>({
  approvals: ['params', 'body', 'content'],
  'dead-letters': ['payload'],
  'webhook-deliveries': ['payload'],
});

const placeOf = (told: string): Place => {
  const at = told.lastIndexOf('.');
  const resource = told.slice(0, at);
  return { resource, field: told.slice(at + 1), is_anywhere: resource === '*' };
};

/** The fact and every other place where it stands, by the declarations of the routes too. */
export function findFactLocations({ resource, field }: Fact, routes: readonly Route[]): Place[] {
  const name = `${resource}.${field}`;
  const elsewhere = [
    ...(DERIVED_FIELDS[name] ?? []),
    ...(JOURNALED_FIELD.test(name) ? LEDGER_FIELDS : []),
  ];
  const derived = derivedFieldsByFact(routes).get(name) ?? [];
  const is_anywhere = resource === '*' || !isAmbiguous(field);
  return [
    { resource, field, is_anywhere },
    ...elsewhere.map(placeOf),
    ...derived.map((place) => ({ ...place, is_anywhere: false })),
  ];
}

/** Whether the answers and bodies of a resource tell it there. */
export const isExposedBy = (resource: string, place: Place): boolean =>
  place.is_anywhere || place.resource === resource || place.resource === ABOUT[resource];

/** What of the resource is not shown to whom anything is denied. */
export const freeTextFields = (resource: string): readonly string[] => TEXTS[resource] ?? [];

/** The parts of its answers in which every denied name is looked for. */
export const openEndedFields = (resource: string): readonly string[] => ANYTHING[resource] ?? [];
