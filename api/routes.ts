import { importRoutes } from './books/imports.ts';
import { bookExportRoutes } from './books/exports.ts';
import { reconciliationRoutes } from './books/reconciliations.ts';
import { addresses } from './borrowers/addresses.ts';
import { autopayPlans } from './borrowers/autopay-plans.ts';
import { borrowers } from './borrowers/borrowers.ts';
import { businessDetailRoutes, businessDetails } from './borrowers/business-details.ts';
import { preferenceRoutes } from './borrowers/communication-preferences.ts';
import { consents } from './borrowers/consents.ts';
import { emails } from './borrowers/emails.ts';
import { privacyRoutes } from './borrowers/exports.ts';
import { identities, identitySearch } from './borrowers/identities.ts';
import { legalReps } from './borrowers/legal-reps.ts';
import { militaryReports } from './borrowers/military-reports.ts';
import { notes } from './borrowers/notes.ts';
import { paymentInstruments } from './borrowers/payment-instruments.ts';
import { phones } from './borrowers/phones.ts';
import { sanctionsHits, sanctionsScreenings } from './borrowers/sanctions.ts';
import { tasks } from './borrowers/tasks.ts';
import { collateral } from './collateral/items.ts';
import { lienAlerts, liens } from './collateral/liens.ts';
import { valuations } from './collateral/valuations.ts';
import { autoResponses } from './communications/auto-responses.ts';
import { providerCallbackRoutes } from './communications/callbacks.ts';
import { communicationLogs } from './communications/logs.ts';
import { communicationRoutes } from './communications/sending.ts';
import { communicationTemplates } from './communications/templates.ts';
import { unsubscribeRoute } from './communications/unsubscribe.ts';
import { documentRoutes, documents } from './documents/documents.ts';
import { sftpServers } from './documents/sftp-servers.ts';
import { logoRoutes } from './users/logo.ts';
import { documentWordings, previewWordingRoute } from './documents/wordings.ts';
import type { Route } from './endpoints/route.ts';
import { accountRoutes } from './ledger/accounts.ts';
import { closings } from './ledger/closings.ts';
import { entries } from './ledger/entries.ts';
import { reportRoutes } from './ledger/reports.ts';
import { statementRoutes } from './ledger/statements.ts';
import { systemEntries } from './ledger/system-entries.ts';
import { yearEnds } from './ledger/year-ends.ts';
import { creditCorrectionRoutes } from './loans/credit-corrections.ts';
import { disputeExchangeRoutes } from './loans/credit-dispute-exchange.ts';
import { creditFileRoutes, creditFiles } from './loans/credit-files.ts';
import { creditFindings } from './loans/credit-findings.ts';
import { loanRoutes, loans } from './loans/loans.ts';
import { products } from './loans/products.ts';
import { programs } from './loans/programs.ts';
import { recordRoutes } from './loans/records.ts';
import { controlRoutes } from './operations/control.ts';
import { closeOfBusiness, pools, runs } from './operations/jobs.ts';
import { jobQueueRoutes } from './operations/queue.ts';
import { sandboxRoutes } from './operations/sandbox.ts';
import { viewRoutes } from './operations/views.ts';
import { mailingRoutes } from './mailing/mail-batches.ts';
import { changeNotices } from './payments/change-notices.ts';
import { nachaFiles, nachaRoutes } from './payments/nacha.ts';
import { paymentRoutes, payments } from './payments/payments.ts';
import { portalAutopay } from './portal/autopay.ts';
import { readCase, cases } from './cases/cases.ts';
import { portalCases } from './portal/cases.ts';
import { portalConfig } from './portal/config.ts';
import { portalDashboard } from './portal/dashboard.ts';
import { portalDocuments } from './portal/documents.ts';
import { hardshipApplications } from './portal/hardship-queue.ts';
import { portalHardship } from './portal/hardship.ts';
import { portalLoans } from './portal/loans.ts';
import { portalEarlierTransactions } from './portal/earlier-transactions.ts';
import { portalPayments } from './portal/payments.ts';
import { portalProfile } from './portal/profile.ts';
import { portalRecords } from './portal/records.ts';
import { investors, loanAssignments, settlementInstruments } from './portfolios/investors.ts';
import { loanSnapshots } from './portfolios/loan-snapshots.ts';
import { loanTapeConfigs, tapeRoutes } from './portfolios/loan-tapes.ts';
import { portfolios, vintages } from './portfolios/portfolios.ts';
import { remittances } from './portfolios/remittances.ts';
import { servicingTransfers } from './portfolios/servicing-transfers.ts';
import { snapshots } from './portfolios/snapshots.ts';
import { approvalRoutes } from './users/approvals.ts';
import { authRoutes } from './users/auth.ts';
import { identityProviders, providerRoutes } from './users/identity-providers.ts';
import { resendInvitationRoute } from './users/invitations.ts';
import { currentUserRoute } from './users/me.ts';
import { passwordRoutes } from './users/passwords.ts';
import {
  withRuleValidation,
  objectGrants,
  permissionGroups,
  userPermissions,
} from './users/permissions.ts';
import { providerLinkRoutes } from './users/provider-links.ts';
import { secondFactorRoutes } from './users/second-factors.ts';
import { securityLog } from './users/security-log.ts';
import { ownSessions, sessions } from './users/sessions.ts';
import { tenantRoutes } from './users/settings.ts';
import { userRoutes, users } from './users/users.ts';
import { webhookDeliveryRecords as webhookDeliveries } from './webhooks/deliveries.ts';
import { createSubscription, webhooks } from './webhooks/subscriptions.ts';

/**
 * The endpoints in the order of the specification. A resource brings the endpoints of its children along; a
 * child that is also listed keeps the place where it is listed.
 */
const specifiedRoutes: readonly Route[] = [
  ...borrowers.routes,
  ...addresses.routes,
  ...emails.routes,
  ...phones.routes,
  ...preferenceRoutes,
  ...identities.routes,
  ...militaryReports.routes,
  ...sanctionsScreenings.routes,
  ...sanctionsHits.routes,
  identitySearch,
  ...paymentInstruments.routes,
  ...consents.routes,
  ...legalReps.routes,
  ...autopayPlans.routes,
  ...businessDetails.routes,
  ...businessDetailRoutes,
  ...notes.routes,
  ...tasks.routes,
  ...privacyRoutes,
  ...loans.routes,
  ...loanRoutes,
  ...creditFiles.routes,
  ...creditFileRoutes,
  ...creditFindings.routes,
  ...creditCorrectionRoutes,
  ...disputeExchangeRoutes,
  ...payments.routes,
  ...paymentRoutes,
  ...changeNotices.routes,
  ...nachaFiles.routes,
  ...nachaRoutes,
  ...recordRoutes,
  ...programs.routes,
  ...products.routes,
  ...accountRoutes,
  ...entries.routes,
  ...reportRoutes,
  ...statementRoutes,
  systemEntries,
  ...closings.routes,
  ...yearEnds.routes,
  ...withRuleValidation(users.routes),
  ...userRoutes,
  currentUserRoute,
  ...withRuleValidation(permissionGroups.routes),
  ...userPermissions.routes,
  ...objectGrants.routes,
  ...tenantRoutes,
  ...securityLog.routes,
  ...collateral.routes,
  ...liens.routes,
  ...valuations.routes,
  ...lienAlerts.routes,
  ...portfolios.routes,
  vintages,
  ...snapshots.routes,
  ...investors.routes,
  ...settlementInstruments.routes,
  ...loanAssignments.routes,
  ...remittances.routes,
  ...servicingTransfers.routes,
  ...bookExportRoutes,
  ...loanSnapshots.routes,
  ...reconciliationRoutes,
  ...importRoutes,
  ...sftpServers.routes,
  ...loanTapeConfigs.routes,
  ...tapeRoutes,
  ...communicationTemplates.routes,
  ...communicationRoutes,
  ...communicationLogs.routes,
  ...mailingRoutes,
  ...autoResponses.routes,
  ...providerCallbackRoutes,
  unsubscribeRoute,
  createSubscription,
  ...webhooks.routes,
  ...webhookDeliveries.routes,
  ...documents.routes,
  ...documentRoutes,
  previewWordingRoute,
  ...documentWordings.routes,
  ...logoRoutes,
  portalConfig,
  ...portalProfile,
  portalDashboard,
  ...portalLoans,
  portalEarlierTransactions,
  ...portalPayments,
  ...portalAutopay,
  ...portalRecords,
  ...portalDocuments,
  ...portalCases,
  ...portalHardship,
  ...cases.routes,
  readCase,
  ...hardshipApplications.routes,
  ...authRoutes,
  ...passwordRoutes,
  resendInvitationRoute,
  ...secondFactorRoutes,
  ...identityProviders.routes,
  ...providerRoutes,
  ...providerLinkRoutes,
  ...sessions.routes,
  ...ownSessions,
  closeOfBusiness,
  pools,
  ...runs.routes,
  ...viewRoutes,
  ...jobQueueRoutes,
  ...controlRoutes,
  ...sandboxRoutes,
].filter((route, at, all) => all.lastIndexOf(route) === at);

/** Every endpoint. The approval endpoints come last, because approving runs one of the others. */
export const routes: readonly Route[] = [...specifiedRoutes, ...approvalRoutes(specifiedRoutes)];
