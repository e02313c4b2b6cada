import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';
import { CHANNELS } from './channels.ts';

export const templates = table({
  name: 'communication_templates',
  rows: sql.fragment`
    select record.id, record.name, record.template_type, record.channel, record.language,
           record.program_id, record.subject, record.body, record.description, record.version,
           record.is_active, record.is_archived, record.created_at, record.updated_at
    from communication_templates as record
  `,
  search: (words) => sql.fragment`row.name ilike ${containsPattern(words)}`,
});

const Template = z.object({
  id: z.string(),
  template_type: z.string(),
  channel: z.enum(CHANNELS),
  language: z.string(),
  program_id: z.string().nullable(),
  subject: z.string().nullable(),
  body: z.string(),
});
export type StoredTemplate = z.output<typeof Template>;

export const findUsable = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Template)`
    select id, template_type, channel, language, program_id, subject, body
    from communication_templates
    where id = ${id} and is_active and not is_archived
  `);

type Wanted = { type: string; channel: string; language: string; program_id: string | null };

/**
 * The best template for a message: the program's before the tenant's; the exact language before its base
 * language, before English.
 */
export const findForType = (tx: Transaction, { type, channel, language, program_id }: Wanted) =>
  tx.maybeOne(
    prepared(sql.type(Template)`
    select id, template_type, channel, language, program_id, subject, body
    from communication_templates
    where template_type = ${type} and channel = ${channel} and is_active and not is_archived
      and (program_id is null or program_id = ${program_id}::uuid)
      and language = any(${sql.array([language, language.slice(0, 2), 'en'], 'text')})
    order by program_id is null,
             array_position(${sql.array([language, language.slice(0, 2), 'en'], 'text')}, language),
             created_at desc, id desc
    limit 1
  `),
  );

/** Changing the text of a template creates a new version. */
export const incrementTemplateVersion = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update communication_templates set version = version + 1 where id = ${id}
  `);
