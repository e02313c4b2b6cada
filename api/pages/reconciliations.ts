import {
  isReconciliationKind,
  RECONCILIATION_KINDS,
} from '../../templates/reconciliation-kinds.ts';
import { fetchRows } from './fetch-rows.ts';
import { pageView, redirectTo, type Page, type PageView, type Visit } from './page.ts';
import { STAFF } from './sections.ts';

const RECONCILIATIONS = `${STAFF}/reconciliations`;

type Summary = { kind: string; loans: number; figures: number; amount: string };
type Reconciliation = Record<string, unknown> & {
  id: string;
  fingerprint: string | null;
  signed_off_at: string | null;
  status: string;
  /** Missing for users who are denied figures of loans. */
  summary?: Summary[];
};

const view = (page: string, data: object): PageView => ({
  ...pageView(page, { ...data, is_staff_page: true }),
  look: 'ops',
});

const listPage: Page = {
  path: '/reconciliations',
  show: async (visit) => view('reconciliations', await fetchRows(visit, 'GET /reconciliations')),
};

/** Groups the differences by kind, lists them with both computations, and signs them off. */
const detailPage: Page = {
  path: '/reconciliations/{id}',
  show: async (visit) => {
    const { ask, params, user } = visit;
    const run = await ask<Reconciliation>('GET /reconciliations/{id}', { params });
    const { changed_loans } = await ask<{ changed_loans: number }>(
      'GET /reconciliations/{id}/changes',
      { params },
    );
    const isMaker = run['created_by'] === user?.id;
    const isOpen = run.status === 'done' && run.signed_off_at === null && changed_loans === 0;
    return view('reconciliation', {
      run,
      changed_loans,
      kinds: (run.summary ?? []).map((row) => ({
        ...row,
        ...textsOf(row.kind),
        href: `${RECONCILIATIONS}/${run.id}?kind=${row.kind}`,
      })),
      ...(await differencesOf(visit)),
      is_maker: isMaker,
      can_sign_off: isOpen && !isMaker,
    });
  },
  submit: async ({ ask, params, form }) => {
    const { fingerprint, note = '' } = form.values;
    const body = { fingerprint, ...(note.trim() !== '' && { note }) };
    await ask('POST /reconciliations/{id}/sign-off', { params, body });
    return redirectTo(`${RECONCILIATIONS}/${params['id']}`, 'signed-off');
  },
};

/** The link is created on click, because it expires within minutes. */
const downloadPage: Page = {
  path: '/reconciliations/{id}/download',
  show: async ({ ask, params }) => {
    const link = await ask<{ download_url: string }>('GET /reconciliations/{id}/download', {
      params,
    });
    return redirectTo(link.download_url);
  },
};

const textsOf = (kind: string): { name: string; explanation?: string } =>
  isReconciliationKind(kind) ? RECONCILIATION_KINDS[kind] : { name: kind };

async function differencesOf(visit: Visit) {
  const kind = visit.query['kind'] ?? '';
  const isKnown = isReconciliationKind(kind);
  const filter = isKnown ? { filter: JSON.stringify({ kind }) } : {};
  const { rows, older } = await fetchRows(visit, 'GET /reconciliations/{id}/differences', filter);
  const place = isKnown ? `kind=${kind}&page=` : 'page=';
  return {
    rows: rows.map((row) => ({
      ...row,
      kind_name: textsOf(String(row['kind'])).name,
    })),
    chosen: isKnown ? textsOf(kind).name : null,
    older: older && `?${place}${older}`,
  };
}

export const reconciliationPages: readonly Page[] = [listPage, detailPage, downloadPage];
