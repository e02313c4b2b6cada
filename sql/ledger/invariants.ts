import { sql } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';
import { controlAccountInvariant } from './control-accounts.ts';

export const ledgerInvariants: readonly Check[] = [
  {
    rule: 'entries balance',
    query: sql.type(ViolationRow)`
      select entry.tenant_id, entry.id as subject,
             format('Entry %s of %s has %s lines and is unbalanced by %s.', entry.id,
               entry.entry_date, coalesce(line.lines, 0), coalesce(line.difference, 0.00)
             ) as message
      from journal_entries as entry
      left join (
        select tenant_id, entry_id, count(*) as lines, sum(debit - credit) as difference
        from journal_lines group by tenant_id, entry_id
      ) as line on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
      where coalesce(line.lines, 0) < 2 or line.difference <> 0
    `,
  },
  {
    rule: 'lines have the date of their entry',
    query: sql.type(ViolationRow)`
      select line.tenant_id, line.id as subject,
             format('Line %s is dated %s, its entry %s is dated %s.', line.id, line.entry_date,
               entry.id, entry.entry_date) as message
      from journal_lines as line
      join journal_entries as entry
        on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
      where entry.entry_date <> line.entry_date
    `,
  },
  {
    // Therefore assets equal liabilities plus equity on every day.
    rule: 'the trial balance balances on every day',
    query: sql.type(ViolationRow)`
      select tenant_id, tenant_id as subject,
             format('What is booked on %s differs by %s.', entry_date, sum(debit - credit)) as message
      from posted_lines group by tenant_id, entry_date having sum(debit - credit) <> 0
    `,
  },
  {
    rule: 'income and expense begin a fiscal year at zero',
    query: sql.type(ViolationRow)`
      select ended.tenant_id, account.id as subject,
             format('Account %s %s keeps %s after the year end of %s.', account.code, account.name,
               sum(line.debit - line.credit), ended.fiscal_year_end) as message
      from year_ends as ended
      join ledger_accounts as account
        on account.tenant_id = ended.tenant_id and account.account_type in ('revenue', 'expense')
      join posted_lines as line
        on line.tenant_id = account.tenant_id and line.account_id = account.id
        and line.entry_date <= ended.fiscal_year_end
      group by ended.tenant_id, account.id, account.code, account.name, ended.fiscal_year_end
      having sum(line.debit - line.credit) <> 0
    `,
  },
  {
    rule: 'reversals mirror their originals',
    query: sql.type(ViolationRow)`
      select mirror.tenant_id, mirror.id as subject,
             format('Reversal %s does not undo entry %s: account %s keeps %s.', mirror.id,
               mirror.reversal_of_entry_id, account.code, sum(line.debit - line.credit)) as message
      from journal_entries as mirror
      join journal_lines as line
        on line.tenant_id = mirror.tenant_id
        and line.entry_id in (mirror.id, mirror.reversal_of_entry_id)
      join ledger_accounts as account
        on account.tenant_id = line.tenant_id and account.id = line.account_id
      where mirror.reversal_of_entry_id is not null
      group by mirror.tenant_id, mirror.id, mirror.reversal_of_entry_id, account.code
      having sum(line.debit - line.credit) <> 0
    `,
  },
  controlAccountInvariant,
];
