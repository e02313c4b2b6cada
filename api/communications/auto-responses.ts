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
  about:
    "A rule that answers or routes borrowers' texts and emails. Opt-out words such as STOP come first; then the first matching rule by `priority` applies.",
  path: 'auto-responses',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.max(150).describe('Used as the name of the tasks it creates.'),
    channel: z.enum(PROVIDER_CHANNELS).describe('The channel of the messages that it answers.'),
    match_type: z
      .enum(['keyword', 'contains', 'regex', 'any', 'out_of_hours'])
      .describe(
        'Which messages match. `keyword`: contains one of `keywords` as whole words. `contains`: contains one of them anywhere. `regex`: matches `pattern`. `any`: every message. `out_of_hours`: every message outside `communications.business_hours`.',
      ),
    keywords: z
      .array(requiredText.max(100))
      .max(50)
      .default([])
      .describe('The words to look for. Ignores case.'),
    pattern: z
      .string()
      .min(1)
      .max(PATTERN_CHARACTERS_MAX)
      .nullish()
      .describe('An RE2 regular expression. Matching ignores case.'),
    response_template_id: uuid
      .nullish()
      .describe('The communication template of the answer. Replaces response_body.'),
    response_subject: text.nullish().describe('The subject of an answer by email.'),
    response_body: z
      .string()
      .nullish()
      .describe(
        'The text of the answer, which may contain template variables. Without a text or template, no answer is sent.',
      ),
    action: z
      .enum(['reply', 'opt_out', 'opt_in', 'create_case', 'create_task', 'forward'])
      .default('reply')
      .describe(
        'What the rule does in addition to the answer. `reply`: nothing else. `opt_out` and `opt_in`: switches the channel off or on for everyone with that number or address. `create_case` and `create_task`: creates a task for staff. `forward`: sends the message to `forward_to`.',
      ),
    forward_to: emailAddress
      .nullish()
      .describe('The staff mailbox that receives the message. Required for `forward`.'),
    priority: z
      .int()
      .min(0)
      .max(10_000)
      .default(100)
      .describe('Rules with a lower number come first. Of equal ones, the older comes first.'),
    language: text
      .max(10)
      .nullish()
      .describe('Only for borrowers with this language, such as en or es-MX. Default: all.'),
    is_active: flag.default(true).describe('Whether the rule applies.'),
    cooldown_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(60)
      .describe(
        'Minutes after an answer in which the same borrower gets no second answer from this rule. The action still runs.',
      ),
    program_id: uuid
      .nullish()
      .describe('Only for borrowers with a loan of this program. Default: all.'),
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
