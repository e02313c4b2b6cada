import { z } from 'zod';
import {
  addAutoResponse,
  changeAutoResponse,
} from '../../jobs/communications/inbound/auto-response.ts';
import { PATTERN_CHARACTERS_MAX } from '../../jobs/communications/inbound/patterns.ts';
import { PROVIDER_CHANNELS } from '../../sql/communications/channels.ts';
import { autoResponses as table } from '../../sql/communications/inbound.ts';
import { find } from '../../sql/table.ts';
import { emailAddress, flag, timestamps, text, uuid, requiredText } from '../../sql/types.ts';
import { isAnyFieldDenied } from '../endpoints/recent-proof.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';

/** Whether a new or changed rule forwards messages to an address. */
async function forwardsMessages({ work, params, body }: Call) {
  const given = body as { action?: string; forward_to?: string | null };
  if (given.action !== undefined) return given.action === 'forward';
  const row = await find(work.tx, table, params['id'] ?? '');
  return row?.['action'] === 'forward';
}

const forwardsDeniedFields = async (call: Call) =>
  (await forwardsMessages(call)) && (await isAnyFieldDenied(call));

export const autoResponses = resource({
  name: 'AutoResponse',
  path: 'auto-responses',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.max(150).describe('Used as the name of the tasks it creates.'),
    channel: z.enum(PROVIDER_CHANNELS),
    match_type: z.enum(['keyword', 'contains', 'regex', 'any', 'out_of_hours']),
    keywords: z.array(requiredText.max(100)).max(50).default([]),
    pattern: z
      .string()
      .min(1)
      .max(PATTERN_CHARACTERS_MAX)
      .nullish()
      .describe('An RE2 regular expression. Matching ignores case.'),
    response_template_id: uuid.nullish(),
    response_subject: text.nullish(),
    response_body: z.string().nullish(),
    action: z
      .enum(['reply', 'opt_out', 'opt_in', 'create_case', 'create_task', 'forward'])
      .default('reply'),
    forward_to: emailAddress.nullish(),
    priority: z.int().min(0).max(10_000).default(100),
    language: text.max(10).nullish(),
    is_active: flag.default(true),
    cooldown_minutes: z.int().min(0).max(10_080).default(60),
    program_id: uuid.nullish(),
    ...timestamps,
  },
  filters: ['channel', 'match_type', 'action', 'is_active', 'program_id'],

  // Forwarded messages contain the borrowers' own words, with their names and addresses.
  carries: ({ action }) => (action === 'forward' ? 'anything' : []),
  four_eyes: { create: 'destinations', update: 'destinations' },
  asks_if: { create: forwardsMessages, update: forwardsMessages },
  needs_proof: { create: forwardsDeniedFields, update: forwardsDeniedFields },
  create: addAutoResponse,
  update: changeAutoResponse,
});
