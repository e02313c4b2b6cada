import { sql, type Transaction } from '../database/db.ts';
import { BookRow, isInBook, isWhole, type BookScope } from './export-rows.ts';

/** The codes of the accounts in a product's map of roles to accounts. */
const glMap = sql.fragment`(
  select jsonb_object_agg(mapped.role, account.code)
  from jsonb_each_text(record.gl_map) as mapped (role, account_id)
  join ledger_accounts as account on account.id::text = mapped.account_id
)`;

/** The product is that of a loan of the book; without a scope, any. */
const isProductOfBook = (scope: BookScope, product: string) => sql.fragment`(
  ${isWhole(scope)} or exists (
    select from loans as loan
    where loan.product_id = ${sql.identifier([product, 'id'])} and ${isInBook(scope)}
  ))`;

/** The programs of the book's loans and products; without a scope, all. */
export const listPrograms = (tx: Transaction, scope: BookScope) =>
  tx.any(sql.type(BookRow)`
    select record.code, record.name, record.description, record.program_type,
           record.is_active and not record.is_archived as is_active,
           product.code as default_product_code, record.funding_source,
           record.credit_identification_number, record.jurisdictions, record.compliance_checks,
           record.template_overrides, record.metadata
    from programs as record
    left join products as product on product.id = record.default_product_id
      and ${isProductOfBook(scope, 'product')}
    where ${isWhole(scope)} or exists (
      select from loans as loan where loan.program_id = record.id and ${isInBook(scope)}
    ) or exists (
      select from products as own where own.program_id = record.id and ${isProductOfBook(scope, 'own')}
    )
    order by record.created_at, record.id
  `);

/** The products of the book's loans; without a scope, all. */
export const listProducts = (tx: Transaction, scope: BookScope) =>
  tx.any(sql.type(BookRow)`
    select record.*, program.code as program_code, ${glMap} as gl_map,
           record.is_active and not record.is_archived as is_active
    from products as record left join programs as program on program.id = record.program_id
    where ${isProductOfBook(scope, 'record')}
    order by record.created_at, record.id
  `);

/** The investors who own loans or portfolios of the book, or will own them; without a scope, all. */
export const listInvestors = (tx: Transaction, scope: BookScope) =>
  tx.any(sql.type(BookRow)`
    select record.*, record.id as investor_id
    from investors as record
    where ${isWhole(scope)} or exists (
      select from loan_assignments as part join loans as loan on loan.id = part.loan_id
      where part.investor_id = record.id and part.status in ('pending', 'active') and ${isInBook(scope)}
    ) or exists (
      select from portfolios as portfolio join loans as loan on loan.portfolio_id = portfolio.id
      where portfolio.investor_id = record.id and ${isInBook(scope)}
    )
    order by record.created_at, record.id
  `);

/** The static portfolios of the loans; without a scope, all that are not sold. */
export const listPortfolios = (tx: Transaction, scope: BookScope) =>
  tx.any(sql.type(BookRow)`
    select record.name, record.description, investor.name as investor_name
    from portfolios as record left join investors as investor on investor.id = record.investor_id
    where record.portfolio_type = 'static' and record.status = 'active' and not record.is_archived
      and (${isWhole(scope)} or exists (
        select from loans as loan where loan.portfolio_id = record.id and ${isInBook(scope)}
      ))
    order by record.created_at, record.id
  `);
