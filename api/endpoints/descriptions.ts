import { dictionary } from '../../sql/dictionary.ts';

/** What creating such a record does, beyond storing it. By schema name. */
const CREATE = dictionary<string>({
  AutopayPlan: 'Close of business draws the payments from then on. A loan has one open plan.',
  BorrowerConsent: 'A consent is evidence. It cannot be changed or deleted, only revoked.',
  Case: 'Opens a case for a borrower, which stays internal until staff write to the borrower. Answers 422 if the borrower does not owe the loan.',
  CaseMessage:
    'Notifies the borrower, unless the message is an internal note, and assigns an unassigned case to you. Answers 409 `case_closed` for a closed case.',
  CoBorrower: 'A co-borrower, co-signer or guarantor is liable together with the borrower.',
  CommunicationTemplate:
    "Replaces the platform's text from the next message on. Answers 409 if one of the same type, channel, language and program exists, unless it is archived.",
  Deferment:
    "Moves payments to later dates, within the product's limit. Takes effect on its first day.",
  Disbursement: 'Books the payout. With a payment instrument, also orders it from the bank.',
  Draw: 'Raises the balance of a line of credit. Answers 409 above the available credit.',
  Fee: 'The borrower owes the fee from its date.',
  Forbearance: 'Reduces or pauses payments for a time. Takes effect on its first day.',
  Form1099C: 'Derives missing fields from the loan. There is no minimum amount.',
  HardshipApplication:
    'Opens a case and pauses collection contacts for 15 days. A loan has one open application.',
  JournalEntry: 'Creates a draft, which affects no balance until you post it.',
  Loan: "Creates a pending loan with a copy of the product's current terms.",
  MailBatch: 'Combines all waiting letters into files. Answers 409 if no letter waits.',
  Modification:
    'Applies on its effective date, immediately by default, or after a second person approves it.',
  Payment:
    'A payment dated today or earlier is applied immediately. A later one is scheduled for the close of its date.',
  PaymentInstrument: 'Only the last four digits of the number are shown afterwards.',
  PaymentPlan:
    "Agrees which payments the lender waits for. The loan's own schedule does not change.",
  PayoffQuote: 'Supersedes the active quote and orders the payoff letter.',
  PeriodClosing: 'Closes the books through a day, permanently.',
  Product: 'Loans copy the terms of their product when they are created.',
  PromiseToPay: 'Close of business decides whether the borrower kept the promise.',
  Remittance:
    "States an investor's collections of a month with closed books, and books the servicing fee.",
  ServiceCredit: "Reduces the debt at the sponsor's expense. It is not a payment.",
  SuspenseApplication: 'Applies money in suspense to the loan, like a payment of that date.',
  YearEnd:
    'Moves the income of a fiscal year to retained earnings and closes the books, permanently.',
});

const UPDATE = dictionary<string>({
  Loan: 'Economic terms can change only while the loan is pending.',
  Payment:
    'Only descriptive fields can change. To correct an amount or a date, reverse the payment.',
  Product: 'Changes apply to loans created afterwards.',
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

export const deleteDescription = (name: string) => describedAs(DELETE[name]);

/** Omits a property without a value, as `exactOptionalPropertyTypes` requires. */
const describedAs = (description: string | undefined) =>
  description === undefined ? {} : { description };
