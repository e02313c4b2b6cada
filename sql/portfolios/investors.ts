import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const investors = table({
  name: 'investors',
  rows: sql.fragment`
    select record.id, record.name, record.investor_type, record.legal_name,
           record.tax_id_last_four, record.contact_name, record.contact_email,
           record.contact_phone, record.address, record.remittance_type,
           record.remittance_frequency, record.remittance_day,
           trim_scale(record.servicing_fee_rate) as servicing_fee_rate, record.is_active,
           record.external_id, record.notes, record.created_at, record.updated_at
    from investors as record
  `,
  search: (words) => sql.fragment`
    row.name ilike ${containsPattern(words)} or row.legal_name ilike ${containsPattern(words)}
  `,
});

export const settlementInstruments = table({
  name: 'settlement_instruments',
  owner: 'investors',
  rows: sql.fragment`
    select record.id, record.investor_id, record.instrument_type, record.account_holder_name,
           record.bank_name, record.routing_number, record.account_number_last_four,
           record.account_type, record.swift_code, record.is_primary, record.is_active,
           record.status, record.created_at, record.updated_at
    from settlement_instruments as record
  `,
});

/** Serializes changes of the investor's primary instrument. */
export const lockInvestor = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`select from investors where id = ${id} for no key update`);

export const hasSettlementInstrument = (tx: Transaction, investorId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from settlement_instruments where investor_id = ${investorId}
  `);

/** Clears the primary flag of the investor's other instruments. Returns the previous primary one. */
export const clearPrimaryInstrument = (
  tx: Transaction,
  investorId: string,
  except: string | null,
) =>
  tx.anyFirst(sql.typeAlias('id')`
    update settlement_instruments set is_primary = false
    where investor_id = ${investorId} and is_primary and id is distinct from ${except}::uuid
    returning id
  `);

/** Whether the instrument belongs to this investor and is not archived. */
export const ownsInstrument = (tx: Transaction, investorId: string, instrumentId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from settlement_instruments
    where id = ${instrumentId} and investor_id = ${investorId} and is_active
  `);

const Active = z.object({ is_active: z.boolean() });

export const isActive = async (tx: Transaction, id: string): Promise<boolean | null> =>
  tx.maybeOneFirst(sql.type(Active)`select is_active from investors where id = ${id}`);
