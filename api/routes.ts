import { addresses } from './borrowers/addresses.ts';
import { borrowers } from './borrowers/borrowers.ts';
import { emails } from './borrowers/emails.ts';
import { phones } from './borrowers/phones.ts';
import { tasks } from './borrowers/tasks.ts';
import { collateral } from './collateral/items.ts';
import { lienAlerts, liens } from './collateral/liens.ts';
import { valuations } from './collateral/valuations.ts';
import { products } from './loans/products.ts';
import { programs } from './loans/programs.ts';
import { loanSnapshots } from './portfolios/loan-snapshots.ts';
import { portfolios, vintages } from './portfolios/portfolios.ts';
import { snapshots } from './portfolios/snapshots.ts';
import type { Route } from './route.ts';
import { auth } from './users/auth.ts';
import { me } from './users/me.ts';

/** Every endpoint there is, in the order of the specification. */
export const routes: readonly Route[] = [
  ...borrowers.routes,
  ...addresses.routes,
  ...emails.routes,
  ...phones.routes,
  ...tasks.routes,
  ...programs.routes,
  ...products.routes,
  me,
  ...collateral.routes,
  ...liens.routes,
  ...valuations.routes,
  ...lienAlerts.routes,
  ...portfolios.routes,
  vintages,
  ...snapshots.routes,
  ...loanSnapshots.routes,
  ...auth,
];
