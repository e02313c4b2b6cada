import { z } from 'zod';
import {
  addLien,
  changeLien,
  LIEN_STATUSES,
  LIEN_TYPES,
  LienRelease,
  RELEASE_REASONS,
  releaseLien,
} from '../../jobs/collateral/lien.ts';
import { alerts as alertTable } from '../../sql/collateral/alerts.ts';
import { liens as table } from '../../sql/collateral/liens.ts';
import { date, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const liens = resource({
  name: 'Lien',
  path: 'liens',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    collateral_id: uuid,
    loan_id: uuid.readonly(),
    lien_type: z.enum(LIEN_TYPES),
    filing_number: text.nullish(),
    filing_date: date.nullish(),
    expiration_date: date.nullish(),
    filing_jurisdiction: text.nullish(),
    lien_position: integer.min(1).max(100).default(1),
    status: z.enum(LIEN_STATUSES).readonly(),
    released_at: timestamp.nullable().readonly(),
    released_by: uuid.nullable().readonly(),
    release_date: date.nullable().readonly(),
    release_reason: z.enum(RELEASE_REASONS).nullable().readonly(),
    release_filing_number: z.string().nullable().readonly(),
    release_notes: z.string().nullable().readonly(),
    ...timestamps,
  },
  fixed: ['collateral_id'],
  filters: ['collateral_id', 'loan_id', 'lien_type', 'status', 'expiration_date', 'filing_number'],

  create: addLien,
  update: changeLien,
  actions: {
    release: action({
      allow: 'loan_officer',
      summary: 'Release a lien',
      description: 'Answers 409 if the lien is already released.',
      body: LienRelease,
      run: releaseLien,
    }),
  },
});

/** Alerts of the daily lien check. Acknowledging one means that a user is working on it. */
export const lienAlerts = resource({
  name: 'LienAlert',
  path: 'lien-alerts',
  area: 'collateral',
  table: alertTable,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    lien_id: uuid.readonly(),
    loan_id: uuid.readonly(),
    expiration_date: date.readonly(),
    days_to_expiry: integer.readonly(),
    severity: integer.readonly(),
    status: z.enum(['open', 'acknowledged', 'resolved']),
    ...timestamps,
  },
  filters: ['lien_id', 'loan_id', 'status', 'severity', 'expiration_date'],
});
