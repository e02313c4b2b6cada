import { z } from 'zod';
import { Preferences, setPreferences } from '../../jobs/communications/preferences.ts';
import { preferences } from '../../sql/communications/preferences.ts';
import { endpoint, findOrThrow } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';

/** A borrower's communication preferences, as staff and the portal show them. */
export const communicationPreferences = Preferences.required().meta({
  id: 'CommunicationPreferences',
});

const routeDefaults = {
  tag: 'borrowers',
  path: '/borrowers/{id}/communication-preferences',
  resource: 'borrowers',
  reply: communicationPreferences,
  status: 200,
} as const;

/**
 * Separate from the borrower's record, because forms send that record back whole. A change of name must not
 * turn a channel on again that the borrower has just turned off.
 */
export const preferenceRoutes = [
  endpoint({
    ...routeDefaults,
    method: 'GET',
    summary: "Get a borrower's channel preferences",
    description: 'Which channels the borrower wants to be contacted on.',
    action: 'show',
    allow: 'viewer',
    transaction: 'read',
    run: ({ work, params }: Call) => findOrThrow(work, preferences, params['id']),
  }),
  endpoint({
    ...routeDefaults,
    method: 'PUT',
    summary: "Update a borrower's channel preferences",
    description:
      'Turning a channel on also reactivates unsubscribed addresses and numbers that sent STOP.',
    action: 'edit',
    allow: 'loan_officer',
    transaction: 'write',
    body: Preferences,
    run: ({ work, params, body }: Call) =>
      setPreferences(work, params['id'] ?? '', body as z.output<typeof Preferences>),
  }),
];
