import { alertText, type AlertType } from '../../templates/alerts.ts';
import { pageView, type Page } from './page.ts';

type Alert = {
  type: AlertType;
  loan_id: string | null;
  amount: string | null;
  date: string | null;
};
type Dashboard = { loans: { id: string; loan_number: string }[]; alerts: Alert[] };

/** Shows the amounts due, their dates and current notices. */
const home: Page = {
  path: '',
  show: async ({ ask, language, config }) => {
    const dashboard = await ask<Dashboard>('GET /portal/dashboard');
    const numberOf = (id: string | null) =>
      dashboard.loans.find((loan) => loan.id === id)?.loan_number ?? null;
    const alerts = dashboard.alerts.map((alert) => ({
      text: alertText(
        alert.type,
        { ...alert, loan_number: numberOf(alert.loan_id) },
        { language, ...config },
      ),
      href: linkOf(alert),
      type: alert.type,
    }));
    return pageView('home', { ...dashboard, alerts });
  },
};

function linkOf({ type, loan_id }: Alert): string {
  if (type === 'document_wanted') return '/portal/documents';
  if (type === 'hardship_decided') return '/portal/hardship';
  if (type === 'autopay_paused') return `/portal/loans/${loan_id}/autopay`;
  if (type === 'past_due') return `/portal/loans/${loan_id}/pay`;
  return loan_id === null ? '/portal' : `/portal/loans/${loan_id}`;
}

export const homePages: readonly Page[] = [home];
