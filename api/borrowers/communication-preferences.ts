import { z } from 'zod';
import { Preferences, setPreferences } from '../../jobs/communications/preferences.ts';
import { preferences } from '../../sql/communications/preferences.ts';
import { endpoint, findOrThrow } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';

/** What a borrower wants to be sent, as staff and the portal show it. */
export const communicationPreferences = Preferences.required().meta({
  id: 'CommunicationPreferences',
});

const about = {
  tag: 'borrowers',
  path: '/borrowers/{id}/communication-preferences',
  resource: 'borrowers',
  reply: communicationPreferences,
  status: 200,
} as const;

/**
 * Apart from the borrower's record, which forms send back whole: what somebody has switched off
 * meanwhile is not switched on again by a change of name.
 */
export const preferenceRoutes = [
  endpoint({
    ...about,
    method: 'GET',
    summary: "Get a borrower's channel preferences",
    action: 'show',
    allow: 'viewer',
    transaction: 'read',
    run: ({ work, params }: Call) => findOrThrow(work, preferences, params['id']),
  }),
  endpoint({
    ...about,
    method: 'PUT',
    summary: "Update a borrower's channel preferences",
    action: 'edit',
    allow: 'loan_officer',
    transaction: 'write',
    body: Preferences,
    run: ({ work, params, body }: Call) =>
      setPreferences(work, params['id'] ?? '', body as z.output<typeof Preferences>),
  }),
];
