import { dictionary } from '../../sql/dictionary.ts';
import type { Route } from './route.ts';

type IdentifiedRoute = Pick<Route, 'method' | 'path' | 'action' | 'summary'>;

const STANDARD_ACTIONS = new Set(['list', 'show', 'create', 'edit', 'delete', 'unarchive']);
const TWO_WORD_VERBS = /^(set up|agree on)\b/;

/** Ids that do not follow from the path and the action. */
const OPERATION_IDS = dictionary<string>({
  'DELETE /auth/provider-links/{id}': 'removeProviderLink',
  'DELETE /auth/sessions/{id}': 'endOwnSession',
  'DELETE /portal/payment-instruments/{id}': 'removePortalPaymentInstrument',
  'GET /auth/csrf': 'getCsrfToken',
  'GET /auth/provider-links': 'listOwnProviderLinks',
  'GET /auth/providers': 'listSignInProviders',
  'GET /auth/second-factors': 'listOwnSecondFactors',
  'GET /auth/sessions': 'listOwnSessions',
  'GET /credit-corrections/{id}/form': 'getCreditCorrectionForm',
  'GET /credit-dispute-answer-files/{id}/download': 'downloadCreditDisputeAnswerFile',
  'GET /credit-reporting-files/{id}/download': 'downloadCreditReportingFile',
  'GET /jobs': 'listJobPools',
  'GET /jobs/runs': 'listJobRuns',
  'GET /ledger/accounts/{id}/balance': 'getLedgerAccountBalance',
  'GET /ledger/balance-sheet': 'getBalanceSheet',
  'GET /ledger/gl-detail': 'listGlDetail',
  'GET /ledger/income-statement': 'getIncomeStatement',
  'GET /ledger/loans/{loan_id}/sub-ledger': 'listLoanSubLedger',
  'GET /ledger/trial-balance': 'getTrialBalance',
  'GET /loans/{id}/1099c': 'listLoanForms1099c',
  'GET /loans/{id}/amortization': 'getLoanAmortization',
  'GET /loans/{id}/explain': 'explainLoanFigure',
  'GET /loans/{id}/get-balances': 'getLoanBalances',
  'GET /loans/{id}/get-future-balance-projection': 'projectLoanBalances',
  'GET /loans/{id}/list-promo-statuses': 'listLoanPromotions',
  'GET /loans/{id}/rate-caps': 'listLoanRateCaps',
  'GET /loans/{id}/schedule-versions': 'listLoanScheduleVersions',
  'GET /nacha-files/{id}/download': 'downloadNachaFile',
  'GET /operations/me': 'getOperatorStatus',
  'GET /operations/quarters': 'listPoolThroughput',
  'GET /portal/config': 'getPortalConfig',
  'GET /portal/dashboard': 'getPortalDashboard',
  'GET /portal/documents/{id}/download': 'downloadPortalDocument',
  'GET /portal/hardship': 'listPortalHardshipApplications',
  'GET /portal/hardship/{id}': 'getPortalHardshipApplication',
  'GET /portal/loans/{id}/amortization': 'getPortalLoanAmortization',
  'GET /portal/loans/{id}/autopay': 'getPortalLoanAutopay',
  'GET /portal/loans/{id}/explain': 'explainPortalLoanFigure',
  'GET /portal/me': 'getSignedInBorrower',
  'GET /portal/payments/{id}/authorization': 'getPortalPaymentAuthorization',
  'GET /portal/profile': 'getPortalProfile',
  'GET /portal/support/cases': 'listPortalCases',
  'GET /portal/support/cases/{id}': 'getPortalCase',
  'GET /portfolios/{id}/snapshots': 'listSnapshotsOfPortfolio',
  'GET /portfolios/{id}/vintages': 'getPortfolioVintages',
  'GET /reconciliations/{id}/changes': 'countReconciliationChanges',
  'GET /sandbox': 'getSandbox',
  'GET /security-log': 'listSecurityEvents',
  'GET /security-log/{id}': 'getSecurityEvent',
  'GET /tenant/logo': 'getTenantLogo',
  'GET /users/me': 'getSignedInUser',
  'GET /users/{id}/object-grants': 'listObjectGrantsOfUser',
  'GET /users/{id}/permissions': 'listPermissionsOfUser',
  'POST /addresses/{id}/mail-returned': 'markAddressUndeliverable',
  'POST /approvals/{id}/approve': 'approvePendingRequest',
  'POST /approvals/{id}/cancel': 'cancelPendingRequest',
  'POST /approvals/{id}/reject': 'rejectPendingRequest',
  'POST /auth/login': 'signIn',
  'POST /auth/logout': 'signOut',
  'POST /auth/password/change': 'changePassword',
  'POST /auth/password/check-link': 'checkPasswordLink',
  'POST /auth/password/request': 'requestPasswordReset',
  'POST /auth/password/reset': 'resetPassword',
  'POST /auth/prove': 'proveIdentity',
  'POST /auth/provider-links': 'confirmProviderLink',
  'POST /auth/provider-sign-in': 'completeProviderSignIn',
  'POST /auth/second-factor': 'verifySecondFactor',
  'POST /auth/second-factor/options': 'getPasskeySignInOptions',
  'POST /auth/second-factors/passkeys': 'registerPasskey',
  'POST /auth/second-factors/passkeys/options': 'getPasskeyCreationOptions',
  'POST /auth/second-factors/recovery-codes': 'replaceRecoveryCodes',
  'POST /auth/second-factors/totp': 'beginTotpEnrollment',
  'POST /auth/second-factors/totp/confirm': 'confirmTotpEnrollment',
  'POST /auth/second-factors/{id}/remove': 'removeSecondFactor',
  'POST /book-exports': 'exportBook',
  'POST /borrower-identities/search': 'findBorrowersByIdentity',
  'POST /borrowers/{id}/consents': 'recordBorrowerConsent',
  'POST /borrowers/{id}/identities': 'addBorrowerIdentity',
  'POST /borrowers/{id}/invite-portal-user': 'invitePortalUser',
  'POST /borrowers/{id}/legal-hold': 'setLegalHold',
  'POST /cases/{id}/messages': 'addCaseMessage',
  'POST /collateral/{id}/liquidate': 'liquidateCollateral',
  'POST /collateral/{id}/reverse-liquidation': 'reverseCollateralLiquidation',
  'POST /communications/can-interact': 'checkContactPermission',
  'POST /communications/preview': 'previewMessage',
  'POST /communications/send': 'sendMessage',
  'POST /communications/send-batch': 'sendMessageBatch',
  'POST /communications/unsubscribe': 'unsubscribe',
  'POST /communications/webhooks/delivery-status': 'receiveDeliveryStatus',
  'POST /communications/webhooks/inbound/email': 'receiveInboundEmail',
  'POST /communications/webhooks/inbound/sms': 'receiveInboundSms',
  'POST /credit-dispute-answer-files': 'generateCreditDisputeAnswerFile',
  'POST /credit-dispute-imports': 'importCreditDisputes',
  'POST /credit-reporting-files': 'generateCreditReportingFile',
  'POST /document-wordings/preview': 'previewDocumentWording',
  'POST /documents': 'uploadDocument',
  'POST /documents/create-upload-link': 'createDocumentUploadLink',
  'POST /documents/preview-removal': 'previewDocumentRemoval',
  'POST /documents/{id}/confirm-upload': 'confirmDocumentUpload',
  'POST /hardship-applications/{id}/request-info': 'requestHardshipApplicationInfo',
  'POST /identity-providers/{id}/begin-sign-in': 'beginProviderSignIn',
  'POST /jobs/close-of-business': 'runCloseOfBusiness',
  'POST /loan-tape-configs/{id}/generate': 'generateLoanTape',
  'POST /loan-tapes/{id}/retry-delivery': 'retryLoanTapeDelivery',
  'POST /loans/{id}/1099c': 'createForm1099c',
  'POST /loans/{id}/activate-promo': 'activateLoanPromotion',
  'POST /loans/{id}/add-labels': 'addLoanLabels',
  'POST /loans/{id}/assign-officer': 'assignLoanOfficer',
  'POST /loans/{id}/change-due-date': 'changeLoanDueDate',
  'POST /loans/{id}/non-accrual': 'setLoanNonAccrual',
  'POST /loans/{id}/payments/preview': 'previewPayment',
  'POST /loans/{id}/payments/reimbursement': 'reimburseBorrower',
  'POST /loans/{id}/remove-labels': 'removeLoanLabels',
  'POST /loans/{id}/reverse-acceleration': 'reverseLoanAcceleration',
  'POST /loans/{id}/reverse-charge-off': 'reverseLoanChargeOff',
  'POST /loans/{id}/run-compliance-checks': 'runLoanComplianceChecks',
  'POST /mail-letters/{id}/returned': 'recordReturnedMailLetter',
  'POST /nacha-files': 'generateNachaFile',
  'POST /nacha-returns': 'processNachaReturn',
  'POST /operations/jobs/change': 'changeJobs',
  'POST /operations/pauses': 'pauseJobs',
  'POST /operations/pauses/end': 'endJobPause',
  'POST /operations/slots': 'setJobSlots',
  'POST /payments/{id}/return': 'recordReturnedPayment',
  'POST /portal/documents/upload': 'createPortalUploadLink',
  'POST /portal/documents/{id}/confirm-upload': 'confirmPortalDocumentUpload',
  'POST /portal/hardship': 'submitPortalHardshipApplication',
  'POST /portal/loans/{id}/autopay/cancel': 'cancelPortalAutopay',
  'POST /portal/loans/{id}/autopay/enable': 'enablePortalAutopay',
  'POST /portal/loans/{id}/autopay/enroll': 'enrollPortalAutopay',
  'POST /portal/loans/{id}/payments': 'makePortalPayment',
  'POST /portal/loans/{id}/payments/preview': 'previewPortalPayment',
  'POST /portal/payment-instruments/{id}/account-number': 'supplyPortalAccountNumber',
  'POST /portal/payments/{id}/cancel': 'cancelPortalPayment',
  'POST /portal/support/cases': 'openPortalCase',
  'POST /portal/support/cases/{id}/messages': 'addPortalCaseMessage',
  'POST /portfolios/{id}/assign-loans': 'assignPortfolioLoans',
  'POST /portfolios/{id}/auto-assign': 'autoAssignPortfolioLoans',
  'POST /portfolios/{id}/buyback': 'buyBackPortfolioLoans',
  'POST /portfolios/{id}/cancel-sale': 'cancelPortfolioSale',
  'POST /portfolios/{id}/snapshots': 'createPortfolioSnapshot',
  'POST /portfolios/{id}/transfer-loans': 'transferPortfolioLoans',
  'POST /reconciliations': 'compareFigures',
  'POST /sandbox/advance': 'advanceSandbox',
  'POST /sandbox/bounce-payment': 'bouncePayment',
  'POST /sandbox/reset': 'resetSandbox',
  'POST /servicing-transfers/{id}/forward-payments': 'forwardServicingTransferPayments',
  'POST /servicing-transfers/{id}/receive-payments': 'receiveServicingTransferPayments',
  'POST /servicing-transfers/{id}/record-notices': 'recordServicingTransferNotices',
  'POST /servicing-transfers/{id}/send-notices': 'sendServicingTransferNotices',
  'POST /tenant/logo': 'fetchTenantLogo',
  'POST /users/assign-role': 'assignRole',
  'POST /users/invite': 'inviteUser',
  'POST /users/remove-role': 'removeRole',
  'POST /users/{id}/invite-again': 'resendUserInvitation',
  'POST /users/{id}/object-grants': 'addObjectGrant',
  'POST /users/{id}/permissions': 'addUserPermission',
  'POST /users/{id}/reset-second-factors': 'resetUserSecondFactors',
  'POST /webhooks/{id}/re-enable': 'reEnableWebhook',
  'POST /webhooks/{id}/retire-previous-secret': 'retirePreviousWebhookSecret',
  'POST /webhooks/{id}/retry-delivery': 'retryWebhookDelivery',
  'POST /webhooks/{id}/rotate-secret': 'rotateWebhookSecret',
  'PUT /communications/providers/{channel}': 'setCommunicationProvider',
  'PUT /portal/profile': 'updatePortalProfile',
  'PUT /portal/profile/communication-preferences': 'updatePortalCommunicationPreferences',
  'PUT /tenant/settings': 'updateTenantSettings',
});

const toPascalCase = (words: string) =>
  words.replace(/(?:^|[-_/ ])(\w)/g, (_, letter: string) => letter.toUpperCase());

function toSingular(words: string): string {
  if (/^(?:promises|forms)-/.test(words)) return words.replace('s-', '-');
  if (words.endsWith('ies')) return words.replace(/ies$/, 'y');
  if (/(?:sses|ches|xes)$/.test(words)) return words.replace(/es$/, '');
  return words.replace(/(?<!s)s$/, '');
}

const lowerFirst = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
function verbOf(summary: string): string {
  const text = summary.toLowerCase();
  return lowerFirst(toPascalCase(TWO_WORD_VERBS.exec(text)?.[0] ?? text.split(' ')[0] ?? ''));
}

/** The operationId of a route: `listLoanPayments`, `recordPayment`, `approveLoan`. Unique within the API. */
export function operationIdOf({ method, path, action, summary }: IdentifiedRoute): string {
  const special = OPERATION_IDS[`${method} ${path}`];
  if (special !== undefined) return special;
  const parts = path.slice(1).split('/');
  const words = parts.filter((part) => !part.startsWith('{') && part !== 'profile');
  const portal = words[0] === 'portal' ? toPascalCase(words.shift() ?? '') : '';
  const last = words.pop() ?? '';
  const owner = words.map((word) => toPascalCase(toSingular(word))).join('');
  if (action === 'history') return `list${owner}History`;
  if (action === 'unarchive') return `unarchive${owner}`;
  if (!STANDARD_ACTIONS.has(action) && !portal)
    return `${lowerFirst(toPascalCase(action))}${owner}`;
  const verb = verbOf(summary);
  if (verb === 'list') return `list${portal}${owner}${toPascalCase(last)}`;
  const isSetting = last === 'communication-preferences' || last === 'settings';
  const noun = toPascalCase(isSetting ? last : toSingular(last));
  const isChild = parts.length > 2 && parts[0] !== 'ledger' && parts[0] !== 'operations';
  return `${verb}${portal}${isChild && action === 'create' ? '' : owner}${noun}`;
}

/**
 * The endpoints in `OPERATION_IDS`. A test checks that each exists.
 * @public
 */
export const listedOperations = (): readonly string[] => Object.keys(OPERATION_IDS);
