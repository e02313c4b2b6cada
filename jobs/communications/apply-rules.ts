import * as inbound from '../../sql/communications/inbound.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { insert } from '../../sql/write.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import {
  forwardMessage,
  hasReachedReplyLimit,
  sendReply,
  type AnswerableMessage,
} from './inbound/auto-replies.ts';
import { isWithinBusinessHours } from './business-hours.ts';
import { compose } from './compose.ts';
import { matchesPattern } from './inbound/patterns.ts';
import { applyOptRequest } from './preferences.ts';

/**
 * Applies the first matching rule only. Its action always runs; its answer is skipped within the cooldown.
 * Returns the reason if the reply limit suppressed an answer, otherwise null.
 */
export async function applyAutoResponseRules(
  work: Work,
  message: AnswerableMessage,
): Promise<string | null> {
  const { borrower_id, channel, from, body } = message;
  const rule = await findMatchingRule(work, message);
  if (!rule) return null;
  if (rule.action === 'opt_out' || rule.action === 'opt_in')
    await applyOptRequest(work, channel, { from, body, wants: rule.action === 'opt_in' });
  if (await hasReachedReplyLimit(work, message))
    return 'Too many automatic replies within an hour.';
  if (rule.action === 'create_task' || rule.action === 'create_case') {
    const title = `${rule.name}: message from the borrower`;
    await insert(work.tx, 'tasks', { borrower_id, title, source: 'system' });
  }
  if (rule.action === 'forward' && rule.forward_to)
    await forwardMessage(work, message, rule.forward_to, rule.id);
  if (!(await inbound.hasRuleAnswered(work.tx, rule.id, borrower_id, rule.cooldown_minutes)))
    await sendRuleResponse(work, message, rule);
  return null;
}

async function sendRuleResponse(
  work: Work,
  message: AnswerableMessage,
  rule: inbound.AutoResponseRule,
) {
  const { borrower_id, channel } = message;
  const { id, response_template_id: template_id, response_subject: subject, response_body } = rule;
  const by = { triggered_by: 'auto_response', auto_response: id } as const;
  if (template_id) await compose(work, { template_id, channel, borrower_id, ...by });
  else if (response_body) await sendReply(work, message, { subject, body: response_body }, id);
}

/** By priority; of equal priorities the older rule comes first (`inbound.listRules`). */
async function findMatchingRule(
  work: Work,
  { borrower_id, channel, subject, body }: AnswerableMessage,
) {
  const rules = await inbound.listAutoResponseRules(work.tx, channel, borrower_id);
  if (rules.length === 0) return undefined;
  const { communications } = await settingsOf(work.tx);
  const { time_zone } = await currentTenant(work.tx);
  const text = `${subject ?? ''} ${body}`;
  const small = text.toLowerCase();
  const written = {
    text,
    small,
    words: joinWords(small),
    is_late: !isWithinBusinessHours(communications.business_hours, time_zone, new Date()),
  };
  return rules.find((rule) => matchesRule(rule, written));
}

type MatchableText = { text: string; small: string; words: string; is_late: boolean };

function matchesRule(
  { match_type, keywords, pattern }: inbound.AutoResponseRule,
  written: MatchableText,
): boolean {
  if (match_type === 'any') return true;
  if (match_type === 'out_of_hours') return written.is_late;
  if (match_type === 'regex') return pattern !== null && matchesPattern(pattern, written.text);
  if (match_type === 'contains')
    return keywords.some((word) => written.small.includes(word.toLowerCase()));
  return keywords.some((keyword) => written.words.includes(joinWords(keyword.toLowerCase())));
}

/**
 * The words of a text separated by single spaces, so that a keyword of several words matches as a whole.
 */
const joinWords = (text: string) => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? '-'} `;
