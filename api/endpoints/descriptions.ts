import { dictionary } from '../../sql/dictionary.ts';

/** What creating such a record does, beyond storing it. By schema name. */
const CREATE = dictionary<string>({
  Address: 'Answers 409 if the borrower already has it.',
  AdverseActionNotice:
    'Prints the notice and sends it by letter. To deny a pending loan, use its action `deny`, which sends this notice to the borrower. Answers 409 if the loan has another status, or the applicant already has a notice of the denial.',
  AutopayPlan:
    'Close of business draws the payments from then on. A loan has one open plan: a second one answers 409. The borrower must own the account, which must be complete.',
  Borrower: 'A loan needs one. Add addresses, contacts and accounts as records of the borrower.',
  BorrowerConsent: 'A consent is evidence. It cannot be changed or deleted, only revoked.',
  BorrowerIdentity:
    'The full number is stored encrypted and never returned. Answers 409 if the borrower already has it.',
  Case: 'A type with legal effect, such as a bankruptcy, needs `facts`, and its conditions apply to the loans from the dates in them. Answers 422 if the borrower does not owe the loan, and 409 `already_exists` for a second open bankruptcy, service or death case.',
  CaseMessage:
    'Notifies the borrower, unless the message is an internal note, and assigns an unassigned case to you. Answers 409 `case_closed` for a closed case.',
  CoBorrower:
    'The person is liable from that day and is reported to the credit bureaus. Answers 409 if the person already owes the loan, or the loan is over.',
  CollateralItem: 'The loan then counts as secured.',
  CommunicationTemplate:
    "Replaces the platform's text from the next message on. Answers 409 if one of the same type, channel, language and program exists, unless it is archived.",
  CreditDispute:
    'Reports the account as disputed (XB) until you respond. Open disputes get a task 20 and 25 days after receipt.',
  Deferment:
    'Takes effect on its first day. Answers 409 if the product allows no more deferments in 12 months, another one overlaps it, or the loan is accelerated.',
  Disbursement:
    'The first one funds an approved loan, as the action `disburse` does; later ones pay out more of the approved amount, and a new schedule repays the larger balance. With a payment instrument, also orders the payout from the bank. Sends `loan.disbursed`, and `fee.assessed` for fees. Answers 409 above the approved amount, during the right of rescission, or if the disclosure is outdated.',
  Draw: 'Raises the balance of the line. With a payment instrument, also orders the payout from the bank. Sends `fee.assessed` for its fee. Answers 409 above the available credit, or if the loan is frozen, accelerated or on non-accrual.',
  Email: 'Answers 409 if the borrower already has it.',
  Fee: 'The borrower owes the fee from its date. Sends `fee.assessed`. Answers 409 if the loan is not active.',
  Forbearance: 'Takes effect on its first day. Answers 409 if another one overlaps it.',
  Form1099C:
    'Derives the date and the amount from the loan, and orders the copy for the debtor as a document. Creates a form for each joint debtor of a debt of 10,000.00 or more, and returns the first. There is no minimum amount. Answers 409 if a form for this event and year exists. The system creates and corrects forms for forgiven principal by itself.',
  HardshipApplication:
    'Opens a case and pauses collection contacts for `portal.hardship_pause_days` (default: 15). A loan has one open application.',
  Investor: 'Sell a portfolio to the investor, or assign loans.',
  JournalEntry:
    'Creates a draft, which affects no balance until you post it. Answers 409 if the date is in a closed period, or a line without a loan is on a control account.',
  LedgerAccount:
    'The chart begins with the accounts to which the system posts. Map others to the roles in `gl_map` of a product.',
  LegalRepresentative:
    'With an attorney, messages to the borrower are blocked by default, except mandatory letters.',
  Lien: 'Answers 409 if the collateral is sold, released or archived. A warning begins 180 days before it lapses.',
  Loan: "Creates a pending loan with a copy of the product's current terms, and sends `loan.created`. Approve it, then disburse it. Answers 422 if the borrower, the program or the product cannot be used, or a term is outside the limits of the product.",
  LoanAssignment:
    'Changes the owner without booking a sale. To sell loans for a price, sell their portfolio. Answers 409 if the shares would exceed 100 percent.',
  LoanTapeConfig: 'Close of business generates the tape by its schedule.',
  MailBatch: 'Combines all waiting letters into files. Answers 409 if no letter waits.',
  Modification:
    'Applies on its effective date, immediately by default, or after a second person approves it. Changes rate, balances and schedule, charges the fee of the product, and sends `modification.completed`. Answers 409 if the product allows no more modifications, or the loan is accelerated.',
  Note: 'A note cannot be changed or deleted.',
  Payment:
    'A payment dated today or earlier is applied immediately, and sends `payment.received`. A later one is scheduled for the close of its date. With a payment instrument, the next Nacha file draws the money. A payment that repays the loan also closes it (`loan.status_changed`); an excess goes to suspense. Answers 409 if the loan is not funded, or the account cannot be used.',
  PaymentInstrument:
    'The full number is stored encrypted, and only its last four digits are shown afterwards. The first instrument becomes the default.',
  PaymentPlan:
    "Agrees which payments you wait for. The loan's own schedule does not change. While the plan is active, no late fees are charged. Close of business completes it, or marks it as broken after a missed installment. Answers 409 if the loan has an active plan.",
  PayoffQuote:
    'Supersedes the active quote and orders the payoff letter, which `delivery_method` can send. A quote ends early when something changes the payoff amount.',
  PeriodClosing:
    'Closes the books through a day, permanently. Entries for a closed day are booked on the first open day.',
  Phone: 'Answers 409 if the borrower already has it.',
  Portfolio: 'Add loans with `assign-loans`, or describe them with criteria.',
  PortfolioSnapshot:
    'Close of business writes one every day. Creating one replaces the figures of that day.',
  Product:
    'Loans copy the terms of their product when they are created. Answers 422 if terms contradict each other.',
  Program: 'Create it before its products.',
  PromiseToPay: 'Close of business decides whether the borrower kept it.',
  Remittance:
    "Lists an investor's collections of a month with closed books, and books the servicing fee. Permanent. Answers 409 if the books of the month are open, or it exists.",
  ServiceCredit:
    "Reduces the debt at the sponsor's expense. It is not a payment, so it sends no payment event. Answers 409 if it exceeds the debt.",
  ServicingTransfer:
    'Plans the transfer. Close of business moves the loans of an outgoing transfer at the end of `effective_date`; send the letters before. An incoming transfer concerns loans that are boarded here already. Answers 409 `not_in_service`, `already_planned` or `not_boarded` with the numbers of the loans.',
  ServicingFeeRate: 'Answers 409 if that month has a remittance.',
  SettlementInstrument:
    'Only the last four digits of the number are stored. The first instrument becomes the primary one.',
  SuspenseApplication:
    'Applies the money like a payment of that date, and sends `suspense.applied`. Answers 409 if the amount exceeds the money in suspense or the debt.',
  Valuation: 'The latest valuation in effect is the value of the item.',
  YearEnd:
    'Moves the income of a fiscal year to retained earnings and closes the books, permanently.',
});

const UPDATE = dictionary<string>({
  Address:
    'A corrected address loses its mark for returned mail. Answers 409 if the borrower already has it.',
  AutopayPlan:
    'Use it to pause, resume or cancel the plan, or to change its account. A plan that has ended answers 409.',
  Borrower:
    'Addresses, contacts and accounts are records of their own. Channel preferences have their own endpoint.',
  BorrowerIdentity: 'A changed number loses its verification.',
  CoBorrower: 'Corrects the role or the start of the liability. Answers 409 for a released person.',
  CollateralItem:
    'Answers 409 if the status cannot follow the present one, or the item would be released while a lien is active.',
  Case: 'Use it to assign, resolve or close a case, or to correct its `facts`, which are kept as versions and change the legal conditions of the loans. Answers 409 `conditions_open` while a condition of the case has no end, and `invalid_transition` if the status cannot follow the present one.',
  CreditDispute:
    'A new status sets the compliance condition code. The status `responded` with a correcting response code creates a corrected record for every bureau. Answers 409 if the status cannot follow the present one.',
  Deferment:
    'Only the descriptive fields can change, and the status to `canceled` before it takes effect. Otherwise answers 409.',
  Disbursement:
    'Only descriptive fields can change. Reverse the record to correct an amount or a date.',
  Draw: 'Only descriptive fields can change. Reverse the record to correct an amount or a date.',
  Email: 'A changed address loses its verification. Answers 409 if the borrower already has it.',
  Fee: 'Only the description and the due date can change. Waive the fee to reduce it.',
  Forbearance:
    'Only the descriptive fields can change, and the status to `canceled` before it takes effect. Otherwise answers 409.',
  Form1099C:
    'Only the status and the notes can change. To correct a form, void it and create another one. Answers 409 if the status cannot follow the present one.',
  Investor:
    'Answers 409 if the servicing fee rate would change although the investor has dated rates.',
  LedgerAccount: 'Answers 409 if an account to which the system posts would become inactive.',
  Lien: 'A later expiration date is a renewal: it reactivates an expired lien and resolves its alerts.',
  LienAlert: 'Use it to show that somebody works on the alert.',
  Loan: 'Economic terms can change only while the loan is pending. Later they answer 409 `terms_locked`: use a modification.',
  LoanAssignment:
    'The terms can change only while the assignment is pending. An active one can only end. Otherwise answers 409.',
  LoanTapeConfig: 'Tapes that exist do not change.',
  Modification:
    'Only the descriptive fields can change, and the status to `canceled` before it takes effect. Otherwise answers 409.',
  Payment:
    'Only descriptive fields can change. To correct an amount or a date, reverse the payment.',
  PaymentInstrument:
    'A changed account loses its verification. Answers 409 while orders with the old account are not in a Nacha file.',
  PaymentPlan:
    'Only the notes and the status can change. Answers 409 if the status cannot follow the present one.',
  PayoffQuote:
    'Only the descriptive fields can change, and the status of an active quote to `canceled`.',
  Phone: 'A changed number loses its verification. Answers 409 if the borrower already has it.',
  Portfolio: 'Loans that are in the portfolio stay there.',
  Product: 'Changes apply to loans created afterwards.',
  Program: 'Pending loans are checked by the new rules.',
  PromiseToPay:
    'Only the descriptive fields can change, and the status of a pending promise to `canceled`.',
  ServiceCredit:
    'Only descriptive fields can change. Reverse the record to correct an amount or a date.',
  SuspenseApplication: 'Only the notes can change. Reverse the application to correct it.',
  Task: 'Completing a task stores the time and the user. Reopening it clears both.',
});

/** What archiving such a record does, in addition to hiding it. */
const ARCHIVE = dictionary<string>({
  Address: 'If it was primary, the next address of its type becomes primary.',
  Borrower: 'Answers 409 with the ids of the loans while the borrower owes an open loan.',
  BorrowerIdentity: 'Past verifications remain documented.',
  MilitaryReport:
    'A report cannot be changed. Archive one that was entered by mistake: it no longer counts.',
  Email: 'If it was primary, the next one becomes primary.',
  LegalRepresentative: 'Messages can be sent to the borrower again.',
  PaymentInstrument:
    'It can no longer be used. Answers 409 while an autopay plan or an unsent order uses it.',
  Phone: 'If it was primary, the next one becomes primary.',
  Product: 'New loans cannot use it.',
  Program: 'New loans cannot use it.',
});

const DELETE = dictionary<string>({
  AutopayPlan: 'Cancels the plan.',
  Deferment: 'Cancels a deferment that has not started.',
  Disbursement: 'Always answers 409. Reverse the disbursement instead.',
  Draw: 'Always answers 409. Reverse the draw instead.',
  Fee: 'Always answers 409. Waive the fee instead.',
  Forbearance: 'Cancels a forbearance that has not started. End one that is in force instead.',
  Form1099C: 'Voids a form that was not furnished yet.',
  JournalEntry: 'Archives a draft. Posted entries answer 409: reverse them instead.',
  Modification: 'Cancels a modification that has not been applied.',
  Payment: 'Cancels a scheduled payment, and reverses a completed one.',
  PaymentPlan: 'Cancels the payment plan.',
  PayoffQuote: 'Cancels the quote.',
  PromiseToPay: 'Cancels a pending promise.',
  ServiceCredit: 'Always answers 409. Reverse the credit instead.',
  IdentityProvider: 'Removes the links of its users and ends their sessions.',
  ObjectGrant: 'The user loses the access with the next request.',
  PermissionGroup: 'Its rules no longer apply to its members.',
  Session: 'Signs the user out of this session.',
  UserPermission: 'The rule no longer applies to the user.',
  WebhookSubscription:
    'Pending deliveries are canceled. Requests that are already in progress are sent.',
  AutoResponse: 'The rule answers no further messages.',
  SuspenseApplication: 'Always answers 409. Reverse the application instead.',
});

type Described = { name: string; about?: string };

/** The description of a creation, as properties of its route. */
export const createDescription = ({ name, about }: Described) =>
  describedAs([about, CREATE[name]].filter(Boolean).join(' ') || undefined);

/** The description of a list and of a single record. */
export const readDescription = ({ about }: Described) => describedAs(about);

export const updateDescription = (name: string) =>
  describedAs(['Changes only the fields that you send.', UPDATE[name] ?? ''].join(' ').trim());

export const archiveDescription = (name: string) =>
  describedAs(
    [
      'The record no longer appears in lists, but you can still read it by its id.',
      ARCHIVE[name] ?? '',
    ]
      .join(' ')
      .trim(),
  );

export const deleteDescription = (name: string) => describedAs(DELETE[name]);

/** Omits a property without a value, as `exactOptionalPropertyTypes` requires. */
const describedAs = (description: string | undefined) =>
  description === undefined ? {} : { description };
