import { z } from 'zod';
import {
  addLien,
  changeLien,
  LIEN_STATUSES,
  LIEN_TYPES,
  LienRelease,
  RELEASE_REASONS,
  releaseLien,
  lienReleased,
  loanOwes,
  collateralNotActive,
} from '../../jobs/collateral/lien.ts';
import { alerts as alertTable } from '../../sql/collateral/alerts.ts';
import { liens as table } from '../../sql/collateral/liens.ts';
import { date, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const liens = resource({
  name: 'Lien',
  path: 'liens',
  about: 'A right in collateral, with its filing and its expiration.',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    collateral_id: uuid,
    loan_id: uuid.readonly(),
    lien_type: z.enum(LIEN_TYPES).describe('The kind of lien.'),
    filing_number: text.nullish().describe('The number of the filing.'),
    filing_date: date.nullish().describe('When it was filed.'),
    expiration_date: date
      .nullish()
      .describe(
        'When it lapses. Default for a UCC-1: five years after its filing. Alerts begin 180 days before. A new date is a renewal and resolves the alerts.',
      ),
    filing_jurisdiction: text.nullish().describe('Where it was filed.'),
    lien_position: integer
      .min(1)
      .max(100)
      .default(1)
      .describe('The rank, 1 for the first lien. Each active lien of an item has its own rank.'),
    status: z
      .enum(LIEN_STATUSES)
      .readonly()
      .describe('Whether the lien is in force. The server sets `expired` when it lapses.'),
    released_at: timestamp.nullable().readonly().describe('When the release was recorded.'),
    released_by: uuid.nullable().readonly().describe('The user who released it.'),
    release_date: date.nullable().readonly().describe('The day of the release.'),
    release_reason: z.enum(RELEASE_REASONS).nullable().readonly().describe('Why it was released.'),
    release_filing_number: z
      .string()
      .nullable()
      .readonly()
      .describe('The number of the filed release.'),
    release_notes: z.string().nullable().readonly().describe('Notes about the release.'),
    ...timestamps,
  },
  fixed: ['collateral_id'],
  filters: ['collateral_id', 'loan_id', 'lien_type', 'status', 'expiration_date', 'filing_number'],

  conflicts: {
    create: () => [collateralNotActive('released', 'released')],
  },
  create: addLien,
  update: changeLien,
  actions: {
    release: action({
      allow: 'loan_officer',
      summary: 'Release a lien',
      description:
        'Use it when the debt is repaid or the collateral is replaced. Resolves the alerts of the lien. Answers 409 `already_released`, or `loan_owes` if it is released as paid off too early.',
      conflicts: () => [
        lienReleased('released'),
        loanOwes({ status: 'active', loan_number: 'LN-2026-000123', owed: '9301.99' }),
      ],
      body: LienRelease,
      run: releaseLien,
    }),
  },
});

/** Alerts of the daily lien check. Acknowledging one means that a user is working on it. */
export const lienAlerts = resource({
  name: 'LienAlert',
  path: 'lien-alerts',
  about: 'A warning that a lien lapses within 180 days.',
  area: 'collateral',
  table: alertTable,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    lien_id: uuid.readonly().describe('The lien.'),
    loan_id: uuid.readonly(),
    expiration_date: date.readonly().describe('When it lapses.'),
    days_to_expiry: integer.readonly().describe('Days until it lapses.'),
    severity: integer
      .readonly()
      .describe(
        'The last mark that has passed, in days before the lien lapses: 180, 90, 60, 30, 7 or 0.',
      ),
    status: z
      .enum(['open', 'acknowledged', 'resolved'])
      .describe(
        '`acknowledged` means that somebody works on it. The server resolves an alert when the lien is renewed or released.',
      ),
    ...timestamps,
  },
  filters: ['lien_id', 'loan_id', 'status', 'severity', 'expiration_date'],
});
