import { dictionary } from '../../../../sql/dictionary.ts';

/**
 * What other systems call the columns of loans.csv and history.csv, in letters and digits only. The name of the column
 * itself is always known.
 */
export const SYNONYMS = dictionary<readonly string[]>({
  loan_number: [
    ...(['loanid', 'loanno', 'loannum', 'loan', 'accountnumber', 'accountno', 'acctno'] as const),
    ...(['account', 'contractnumber', 'contractid', 'id', 'notenumber', 'loannumber'] as const),
  ],
  borrower_external_id: [
    ...(['borrowerid', 'customerid', 'customernumber', 'custid', 'memberid', 'clientid'] as const),
    ...(['cif', 'cifnumber', 'debtorid', 'partyid', 'memberkey', 'personid'] as const),
  ],
  borrower_first_name: [
    'firstname',
    'first',
    'fname',
    'givenname',
    'borrowerfirst',
    'customerfirstname',
  ],
  borrower_last_name: [
    'lastname',
    'last',
    'lname',
    'surname',
    'familyname',
    'borrowerlast',
    'customerlastname',
  ],
  borrower_state: ['state', 'addrstate', 'statecode', 'st', 'borrowerstate', 'customerstate'],
  borrower_street: [
    'address',
    'street',
    'address1',
    'addressline1',
    'streetaddress',
    'mailingaddress',
  ],
  borrower_city: ['city', 'town', 'mailingcity'],
  borrower_postal_code: ['zip', 'zipcode', 'postalcode', 'postcode', 'zip5'],
  borrower_email: ['email', 'emailaddress', 'mail'],
  borrower_date_of_birth: ['dob', 'dateofbirth', 'birthdate', 'birthday'],
  borrower_ssn: [
    'ssn',
    'socialsecuritynumber',
    'socialsecurity',
    'taxid',
    'tin',
    'ssnitin',
    'ssntin',
  ],
  product_code: ['product', 'loantype', 'producttype', 'productname', 'loanproduct'],
  principal_amount: [
    ...([
      'loanamount',
      'loanamnt',
      'originalamount',
      'originalprincipal',
      'originalbalance',
    ] as const),
    ...(['amountfinanced', 'originalloanamount', 'origamt', 'fundedamount', 'fundedamnt'] as const),
    ...(['originalupb', 'noteamount', 'loanoriginalamount', 'principal'] as const),
  ],
  current_principal_balance: [
    ...([
      'upb',
      'currentupb',
      'balance',
      'currentbalance',
      'principalbalance',
      'outprncp',
    ] as const),
    ...([
      'outstandingprincipal',
      'outstandingbalance',
      'unpaidprincipalbalance',
      'prinbal',
    ] as const),
    ...(['currentprincipal', 'remainingprincipal', 'currentprincipalbalance', 'currbal'] as const),
  ],
  interest_rate: [
    ...([
      'rate',
      'int',
      'intrate',
      'noterate',
      'apr',
      'annualrate',
      'contractrate',
      'interestrate',
    ] as const),
    ...(['currentrate', 'borrowerrate', 'currentinterestrate', 'nominalrate'] as const),
  ],
  term_months: [
    'term',
    'originalterm',
    'loanterm',
    'terminmonths',
    'months',
    'numberofpayments',
    'termmonths',
  ],
  payment_amount: [
    ...(['installment', 'payment', 'monthlypayment', 'pmt', 'pmtamount', 'pandi', 'pi'] as const),
    ...([
      'regularpayment',
      'installmentamount',
      'scheduledpayment',
      'emi',
      'monthlyloanpayment',
      'monthlypi',
      'monthlypandi',
    ] as const),
  ],
  payment_day: ['dueday', 'paymentday', 'dayofmonth', 'billingday'],
  origination_date: [
    ...(['issued', 'issuedate', 'originationdate', 'loandate', 'notedate', 'opendate'] as const),
    ...([
      'fundingdate',
      'fundeddate',
      'contractdate',
      'dateopened',
      'startdate',
      'origdate',
    ] as const),
    ...(['loanoriginationdate', 'disbursementdate', 'issuemonth', 'opened'] as const),
  ],
  first_payment_date: [
    'firstpayment',
    'firstduedate',
    'firstpaymentdate',
    'firstpmtdate',
    'firstdue',
    'firstpaymentdue',
  ],
  next_due_date: [
    ...([
      'nextdue',
      'nextduedate',
      'nextpaymentdate',
      'nextpymntd',
      'nextpmtdate',
      'nextpaymentdue',
      'duedate',
    ] as const),
    ...(['nextpaymentdue', 'nextinstallmentdate', 'paymentduedate'] as const),
  ],
  paid_through_date: [
    'paidthrough',
    'paidto',
    'paidtodate',
    'paidthru',
    'paidthrudate',
    'interestpaidto',
  ],
  last_payment_date: [
    'lastpayment',
    'lastpaymentdate',
    'lastpymntd',
    'lastpmtdate',
    'datelastpaid',
  ],
  status: ['loanstatus', 'accountstatus', 'status', 'statuscode', 'loanstate', 'stat'],
  accrued_interest: [
    'interestdue',
    'accruedinterest',
    'interestbalance',
    'unpaidinterest',
    'accrint',
  ],
  outstanding_fees: ['feesdue', 'fees', 'feebalance', 'unpaidfees', 'latefeesdue', 'latecharges'],
  suspense_balance: [
    'suspense',
    'unapplied',
    'unappliedfunds',
    'unappliedbalance',
    'suspensebalance',
  ],
  charge_off_date: ['chargeoffdate', 'codate', 'chargedoffdate', 'writeoffdate'],
  charge_off_amount: ['chargeoffamount', 'chargedoffamount', 'coamount', 'chargeoffbalance'],
  recovered_amount: ['recoveries', 'recovered', 'recoveryamount'],
  first_delinquency_date: ['dofd', 'dateoffirstdelinquency', 'firstdelinquencydate', 'fcradofd'],
  payment_history_profile: ['paymenthistoryprofile', 'php', 'paymenthistory', 'history24'],
  times_delinquent_30: ['times30', 'timesdelinquent30', 'dq30', 'late30', 'num30'],
  times_delinquent_60: ['times60', 'timesdelinquent60', 'dq60', 'late60', 'num60'],
  times_delinquent_90: ['times90', 'timesdelinquent90', 'dq90', 'late90', 'num90'],
  purpose: ['loanpurpose', 'purpose', 'useofproceeds'],
  paid_total: ['totalpaid', 'totalpymnt', 'totalpayments', 'paymentsreceived', 'paidtodateamount'],
  paid_principal: ['principalpaid', 'totalrecprncp', 'principalreceived'],
  paid_interest: ['interestpaid', 'totalrecint', 'interestreceived'],
  paid_late_fees: ['latefeespaid', 'totalreclatefee', 'feespaid'],
  investor_code: ['investor', 'investorid', 'owner', 'investorcode'],
  officer_email: ['officer', 'loanofficer', 'officeremail', 'assignedto'],
  transaction_id: [
    'transactionid',
    'transid',
    'txnid',
    'paymentid',
    'referencenumber',
    'trannumber',
  ],
  date: ['transactiondate', 'effectivedate', 'trandate', 'postdate', 'paymentdate', 'txndate'],
  type: ['transactiontype', 'trantype', 'transcode', 'txntype', 'trancode'],
  amount: ['transactionamount', 'tranamount', 'totalamount', 'paymentamount', 'txnamount'],
});

/** What other systems call a status. A part of the word is enough. */
export const STATUS_WORDS: readonly (readonly [part: string, status: string])[] = [
  ['charge', 'charged_off'],
  ['written off', 'charged_off'],
  ['write', 'charged_off'],
  ['paid', 'paid_off'],
  ['closed', 'paid_off'],
  ['complete', 'paid_off'],
  ['payoff', 'paid_off'],
  ['current', 'active'],
  ['late', 'active'],
  ['past due', 'active'],
  ['delinq', 'active'],
  ['grace', 'active'],
  ['default', 'active'],
  ['open', 'active'],
  ['active', 'active'],
  ['approved', 'approved'],
  ['pending', 'pending'],
];

/** Words that exports abbreviate. */
const ABBREVIATIONS = dictionary<string>({
  '1st': 'first',
  acct: 'account',
  amt: 'amount',
  bal: 'balance',
  cust: 'customer',
  dt: 'date',
  no: 'number',
  num: 'number',
  pmt: 'payment',
  pymt: 'payment',
});

/** Further abbreviations. Synonyms such as `origdate` have them, so they are also tried as they are. */
const SHORT_WORDS = dictionary<string>({
  cd: 'code',
  cur: 'current',
  curr: 'current',
  int: 'interest',
  orig: 'original',
  prin: 'principal',
  prod: 'product',
  rt: 'rate',
  trm: 'term',
});

/**
 * The letters and digits of a name: as it is written, and with its abbreviations written out. "Acct #" is "accountnumber",
 * and "Cur Prin Bal" is "currentprincipalbalance".
 */
export function spellingsOf(name: string): string[] {
  const words = name
    .toLowerCase()
    .replaceAll('#', ' number ')
    .split(/[^a-z0-9]+/);
  const spelled = words.map((word) => ABBREVIATIONS[word] ?? word);
  const whole = spelled.map((word) => SHORT_WORDS[word] ?? word);
  return [lettersOf(name), spelled.join(''), whole.join('')];
}

/** The letters and digits of a name. */
export const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The column that a foreign name usually means. */
export function knownMeaning(name: string, columns: readonly string[]): string | undefined {
  const spellings = spellingsOf(name);
  return columns.find((column) =>
    spellings.some(
      (letters) => lettersOf(column) === letters || SYNONYMS[column]?.includes(letters),
    ),
  );
}
