import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { liableParties } from '../loans/co-borrowers.ts';
import { table } from '../table.ts';
import type { ProviderChannel } from './channels.ts';

export const autoResponses = table({
  name: 'auto_responses',
  rows: sql.fragment`
    select record.id, record.name, record.channel, record.match_type, record.keywords,
           record.pattern, record.forward_to, record.response_template_id, record.response_subject, record.response_body,
           record.action, record.priority, record.language, record.is_active,
           record.cooldown_minutes, record.program_id, record.created_at, record.updated_at
    from auto_responses as record
  `,
});

const AutoResponseRule = z.object({
  id: z.string(),
  name: z.string(),
  match_type: z.string(),
  keywords: z.array(z.string()),
  pattern: z.string().nullable(),
  forward_to: z.string().nullable(),
  response_template_id: z.string().nullable(),
  response_subject: z.string().nullable(),
  response_body: z.string().nullable(),
  action: z.string(),
  cooldown_minutes: z.int(),
});
export type AutoResponseRule = z.output<typeof AutoResponseRule>;

/**
 * The channel's rules that apply to this borrower, by priority. A rule may be limited to a language that
 * the borrower prefers or to a program in which the borrower has a loan.
 */
export const listAutoResponseRules = (tx: Transaction, channel: string, borrowerId: string) =>
  tx.any(sql.type(AutoResponseRule)`
    select rule.id, rule.name, rule.match_type, rule.keywords, rule.pattern, rule.forward_to,
           rule.response_template_id,
           rule.response_subject, rule.response_body, rule.action, rule.cooldown_minutes
    from auto_responses as rule
    join borrowers as borrower on borrower.id = ${borrowerId}
    where rule.channel = ${channel} and rule.is_active
      and (
        rule.language is null
        or rule.language in (borrower.language_preference, left(borrower.language_preference, 2))
      )
      and (
        rule.program_id is null
        or exists (
          select from ${liableParties} as party join loans as loan on loan.id = party.loan_id
          where party.borrower_id = borrower.id and loan.program_id = rule.program_id
            and not loan.is_archived
        )
      )
    order by rule.priority, rule.id
  `);

/** Whether the rule answered this borrower within its pause. */
export const hasRuleAnswered = (
  tx: Transaction,
  rule: string,
  borrowerId: string,
  minutes: number,
) =>
  tx.exists(sql.typeAlias('void')`
    select from communication_logs
    where borrower_id = ${borrowerId} and direction = 'outbound' and status <> 'blocked'
      and metadata ->> 'auto_response' = ${rule}
      and created_at > now() - make_interval(mins => ${minutes})
  `);

/** How many automatic answers this borrower triggered in the last hour. */
export const countRecentAnswers = (tx: Transaction, borrowerId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from communication_logs
    where borrower_id = ${borrowerId} and direction = 'outbound'
      and triggered_by = 'auto_response' and created_at > now() - interval '1 hour'
  `);

/**
 * The borrower with this phone number or email address. If several share it, the borrower who was contacted
 * last.
 */
export const findSendingBorrower = (tx: Transaction, channel: ProviderChannel, address: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select borrower.id
    from borrowers as borrower
    where exists (
      select from phones
      where borrower_id = borrower.id and phone_number = ${address} and not is_archived
        and ${channel} = 'sms'
      union all
      select from emails
      where borrower_id = borrower.id and email = lower(${address}) and not is_archived
        and ${channel} = 'email'
    )
    order by (
      select max(created_at) from communication_logs as log where log.borrower_id = borrower.id
    ) desc nulls last, borrower.id
    limit 1
  `);

type ReceivedMessage = {
  channel: string;
  borrower_id: string | null;
  recipient: string | null;
  sender: string;
  subject: string | null;
  body: string;
  provider: string;
  provider_message_id: string;
  in_reply_to: string | null;
  /** Our id of the message that this one answers, if known. */
  answers_id: string | null;
};

/** Stores a message once, even if the provider repeats it. Returns null for a repeat. */
export const insertInbound = (tx: Transaction, message: ReceivedMessage) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    insert into communication_logs (
      direction, channel, borrower_id, recipient, sender, subject, body, status, provider,
      provider_message_id, received_at, triggered_by, in_reply_to_id, loan_id
    )
    select 'inbound', ${message.channel}, ${message.borrower_id}::uuid, ${message.recipient},
           ${message.sender}, ${message.subject}, ${message.body}, 'received', ${message.provider},
           ${message.provider_message_id}, now(), 'system', thread.id, thread.loan_id
    from (select) as always
    left join lateral (
      select id, loan_id from communication_logs
      where direction = 'outbound'
        and (provider_message_id = ${message.in_reply_to} or id = ${message.answers_id}::uuid)
      limit 1
    ) as thread on true
    on conflict do nothing
    returning id
  `);

export const markUnanswered = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update communication_logs set error_code = 'not_answered', error_message = ${reason}
    where id = ${id}
  `);

const Holder = z.object({
  id: z.string(),
  sms_enabled: z.boolean(),
  email_enabled: z.boolean(),
});

/** Locks all borrowers that a number or address reaches, until the transaction ends. */
export const lockContactHolders = (tx: Transaction, channel: ProviderChannel, address: string) =>
  tx.any(sql.type(Holder)`
    select id, sms_enabled, email_enabled from borrowers
    where id in (
      select borrower_id from phones
      where phone_number = ${address} and not is_archived and ${channel} = 'sms'
      union all
      select borrower_id from emails
      where email = ${address} and not is_archived and ${channel} = 'email'
    )
    order by id for no key update
  `);

const Sent = z.object({
  id: z.string(),
  status: z.string(),
  channel: z.string(),
  recipient: z.string().nullable(),
  borrower_id: z.string().nullable(),
});

/** Locks the message that a provider reports on: by the provider's id, or by our id in its Message-ID. */
export const lockReportedMessage = (tx: Transaction, messageId: string, ourId: string | null) =>
  tx.maybeOne(sql.type(Sent)`
    select id, status, channel, recipient, borrower_id from communication_logs
    where direction = 'outbound'
      and (provider_message_id = ${messageId} or id = ${ourId}::uuid)
    limit 1 for update
  `);

type Report = {
  status: string;
  is_click: boolean;
  at: string | null;
  code: string | null;
  message: string | null;
};

export const applyReport = (
  tx: Transaction,
  id: string,
  { status, is_click, at, code, message }: Report,
) =>
  tx.query(sql.typeAlias('void')`
    update communication_logs
    set status = ${status},
        delivered_at = case when ${status} in ('delivered', 'opened')
          then coalesce(delivered_at, ${at}::timestamptz, now()) else delivered_at end,
        opened_at = case when ${status} = 'opened'
          then coalesce(opened_at, ${at}::timestamptz, now()) else opened_at end,
        clicked_at = case when ${is_click}
          then coalesce(clicked_at, ${at}::timestamptz, now()) else clicked_at end,
        failed_at = case when ${status} in ('failed', 'undelivered', 'bounced', 'complained')
          then coalesce(${at}::timestamptz, now()) else failed_at end,
        error_code = coalesce(${code}, error_code),
        error_message = coalesce(${message}, error_message)
    where id = ${id}
  `);

const Marked = z.object({ id: z.string(), before: z.string() });

/**
 * Sets the status of an email address that bounced or complained, so that no more mail goes there. Returns
 * the previous status.
 */
export const setEmailStatus = (
  tx: Transaction,
  borrowerId: string,
  email: string,
  status: string,
) =>
  tx.any(sql.type(Marked)`
    update emails
    set status = ${status},
        last_bounce_at = case when ${status} = 'bounced' then now() else last_bounce_at end
    where borrower_id = ${borrowerId} and email = lower(${email}) and not is_archived
      and (${status} <> 'unsubscribed' or status = 'active')
    returning id, old.status as before
  `);
