import { z } from 'zod';
import {
  clearHit,
  confirmHit,
  HitReview,
  alreadyReviewed,
} from '../../jobs/borrowers/sanctions/review.ts';
import {
  DATE_OF_BIRTH_MATCHES,
  HIT_STATUSES,
  sanctionsHits as hitTable,
  sanctionsScreenings as screeningTable,
  SUBJECT_TYPES,
} from '../../sql/borrowers/sanctions.ts';
import { date, flag, integer, ownJson, timestamp, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

/** Only admins see screenings. They are in no webhook, no export and no history of a borrower. */

export const sanctionsScreenings = resource({
  name: 'SanctionsScreening',
  path: 'sanctions-screenings',
  about: 'A name of a borrower that was compared with the sanctions list.',
  area: 'borrowers',
  table: screeningTable,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid.readonly(),
    subject_type: z
      .enum(SUBJECT_TYPES)
      .readonly()
      .describe(
        'A person is compared with listed persons, and an organization with listed organizations. The beneficial owners of a business are persons.',
      ),
    screened_name: z.string().readonly().describe('The name on file.'),
    date_of_birth: date.nullable().readonly().describe('The date of birth on file.'),
    list_published_on: date
      .readonly()
      .describe('When the list of the last screening was published.'),
    first_list_published_on: date
      .readonly()
      .describe('When the list of the first screening was published.'),
    first_screened_at: timestamp.readonly().describe('When the name was first screened.'),
    screened_at: timestamp.readonly().describe('When the name was last screened.'),
    is_current: flag.readonly().describe('Whether the borrower still has this name.'),
    ...timestamps,
  },
  filters: ['borrower_id', 'subject_type', 'list_published_on', 'is_current'],
});

export const sanctionsHits = resource({
  name: 'SanctionsHit',
  path: 'sanctions-hits',
  about:
    'A possible match of a borrower with an entry of the sanctions list. It blocks new money while the check `ofac_screening` is enforced.',
  area: 'borrowers',
  table: hitTable,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid.readonly(),
    screening_id: uuid.readonly().describe('The screening that found it.'),
    screened_name: z.string().readonly().describe('The name on file.'),
    date_of_birth: date.nullable().readonly().describe('The date of birth on file.'),
    is_current: flag.readonly().describe('Whether the borrower still has this name.'),
    entry_number: integer.readonly().describe('The number of the entry on the list.'),
    listed_name: z.string().readonly().describe('The name on the list.'),
    score: z
      .string()
      .readonly()
      .describe('How similar name and date of birth are, from 0.850 to 1.000.'),
    date_of_birth_match: z
      .enum(DATE_OF_BIRTH_MATCHES)
      .readonly()
      .describe('Whether the dates of birth agree. `unknown` if one of them is missing.'),
    entry: ownJson
      .readonly()
      .describe('The entry as published, with programs, remarks and addresses.'),
    list_published_on: date.readonly().describe('When the list was published.'),
    is_listed: flag.readonly().describe('Whether the newest list still has this name.'),
    status: z
      .enum(HIT_STATUSES)
      .readonly()
      .describe(
        '`pending` until someone reviews it. A cleared hit stays cleared for the same two names.',
      ),
    reviews: z
      .array(
        z.object({
          status: z.enum(['cleared', 'confirmed']).describe('The decision.'),
          reviewed_by: uuid.nullable().describe('The user who decided.'),
          reviewed_at: timestamp.describe('When.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .readonly()
      .describe('The decisions. The last one counts.'),
    ...timestamps,
  },
  filters: ['borrower_id', 'status', 'entry_number', 'is_current', 'list_published_on'],

  actions: {
    clear: action({
      allow: 'admin',
      summary: 'Clear a sanctions hit',
      description:
        'Decides that the borrower is not the listed person. Answers 409 if the hit is already cleared.',
      conflicts: () => [alreadyReviewed('cleared')],
      body: HitReview,
      run: clearHit,
    }),
    confirm: action({
      allow: 'admin',
      summary: 'Confirm a sanctions hit',
      description:
        'Decides that the borrower is the listed person. Opens a task, because blocked property must be reported to OFAC within 10 business days (31 CFR 501.603). Does not change the loans: freeze them yourself. Answers 409 if the hit is already confirmed.',
      conflicts: () => [alreadyReviewed('confirmed')],
      body: HitReview,
      run: confirmHit,
    }),
  },
});
