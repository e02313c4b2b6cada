import { dictionary } from '../../sql/dictionary.ts';

/**
 * Descriptions of fields that mean the same in every schema, by name. A schema describes any other field with
 * `.describe()`, which also replaces the text from here.
 */
const DESCRIPTIONS = dictionary<string>({
  borrower_id: 'The id of the borrower.',
  borrower_name: 'The name of the borrower.',
  case_id: 'The id of the case.',
  collateral_id: 'The id of the collateral item.',
  content_type: 'The media type of the file.',
  created_at: 'When the record was created.',
  created_by: 'The user who created the record. Null for the system.',
  delivery_id: 'The id of the delivery.',
  document_id: 'The id of the document.',
  download_url: 'A temporary link to the file.',
  event_id: 'The id of the event, the same in every delivery of it.',
  event_type: 'The type of the event, such as `payment.received`.',
  file_size: 'The size of the file in bytes.',
  filename: 'The name of the file.',
  first_name: 'The first name of the person.',
  id: 'The id of the record.',
  investor_id: 'The id of the investor.',
  is_archived: 'Whether the record is archived: it can be read by its id but is not listed.',
  journal_entry_id: 'The id of the ledger entry.',
  journal_entry_ids: 'The ids of the ledger entries.',
  last_name: 'The last name of the person.',
  loan_id: 'The id of the loan.',
  loan_number: 'The number of the loan.',
  mail_batch_id: 'The id of the mail batch.',
  metadata:
    'Your own data: a JSON object of up to 16 kB. The platform stores and returns it and does not use it.',
  payment_id: 'The id of the payment.',
  portfolio_id: 'The id of the portfolio.',
  product_id: 'The id of the product.',
  program_id: 'The id of the program.',
  sftp_server_id: 'The id of the SFTP server.',
  sha256_hash: 'The SHA-256 hash of the file.',
  subscription_id: 'The id of the webhook subscription.',
  template_id: 'The id of the message template.',
  template_type: 'The type of the message template.',
  tenant_id: 'The id of the tenant.',
  updated_at: 'When the record last changed.',
  user_id: 'The id of the user.',
});

type Schema = {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  $defs?: Record<string, Schema>;
};

/**
 * Describes the fields of a JSON schema, at any depth, and returns it. A description of a nullable field is
 * found at its variant and moved to the field.
 */
export function describeFields<Given extends object>(given: Given): Given {
  const schema: Schema = given;
  const { properties = {}, $defs = {}, items, additionalProperties } = schema;
  const variants = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  for (const part of [...Object.values($defs), ...variants, ...inner, ...(items ? [items] : [])])
    describeFields(part);
  for (const [name, field] of Object.entries(properties))
    describeField(name, describeFields(field));
  return given;
}

function describeField(name: string, field: Schema) {
  const described = field.anyOf?.filter(({ description }) => description !== undefined) ?? [];
  const [variant] = described;
  if (field.description === undefined && described.length === 1 && variant) {
    field.description = variant.description ?? '';
    delete variant.description;
  }
  const usual = DESCRIPTIONS[name];
  if (field.description === undefined && usual !== undefined) field.description = usual;
}
