import { z } from 'zod';
import type { Conflict } from '../../jobs/errors.ts';
import type { Work } from '../../jobs/work.ts';
import { assertDeclaration, assertOwner } from './assert-declaration.ts';
import type {
  Action,
  Declaration,
  Fields,
  Nested,
  NoFields,
  StandardEndpoint,
  Resource,
} from './declaration.ts';
import { creationSchema, versionNames } from './body-schemas.ts';
import { actionRoute, historyRoute, nestedRoutes } from './nested.ts';
import { findOrThrow, listDeclarationOf, fetchPage } from './record-operations.ts';
import type { Call, Route } from './route.ts';
import { readDescription } from './descriptions.ts';
import { listSummary, nounWithArticle } from './summaries.ts';
import { writeRoutes } from './write-routes.ts';

/** Custom endpoints of a resource also start by reading its row. */
export { findOrThrow } from './record-operations.ts';

/** Exists for its type: the body's schema determines the operation's input. */
export const action = <Body extends z.ZodType>(
  declared: Omit<Action, 'run' | 'body' | 'objection'> & {
    body?: Body;
    objection?: (work: Work, id: string, input: z.output<Body>) => Promise<Conflict | null>;
    run: (
      work: Work,
      id: string,
      input: z.output<Body>,
      call: Pick<Call, 'origin'>,
    ) => Promise<unknown>;
  },
): Action => declared;

export function nested<Field extends string>(
  child: Resource<Field>,
  key: NoInfer<Field>,
  offers: readonly ('list' | 'create')[] = ['list', 'create'],
): Nested {
  assertOwner(child.declaration, key);
  return { child, key, offers };
}

/**
 * Builds every endpoint of a resource as data. A resource that is created under a parent brings its own
 * endpoints along with those of the parent.
 */
export function resource<
  F extends Fields,
  Hidden extends Fields = NoFields,
  Fixed extends (keyof F | keyof Hidden) & string = never,
>(declaration: Declaration<F, Hidden, Fixed>): Resource<keyof F & string> {
  assertDeclaration(declaration);
  const { name: id, about } = declaration;
  const reply = z.object(declaration.fields).meta({ id, ...(about && { description: about }) });
  const version = { reply, names: versionNames(declaration) };
  const made: Resource = {
    declaration,
    reply,
    version,
    creation: creationSchema(declaration),
    routes: [],
  };
  made.routes = [
    ...buildStandardRoutes(made),
    ...Object.entries(declaration.nested ?? {}).flatMap(([name, child]) =>
      nestedRoutes(made, name, child),
    ),
    ...Object.entries(declaration.actions ?? {}).map(([name, action]) =>
      actionRoute(made, name, action),
    ),
    ...Object.values(declaration.nested ?? {})
      .filter(({ offers }) => offers.includes('create'))
      .flatMap(({ child }) => child.routes),
  ];
  return made;
}

/** Builds the standard endpoints that the declaration offers, and those that its table implies. */
function buildStandardRoutes(made: Resource): Route[] {
  const { offers, archivable = false, audited, roles = {} } = made.declaration;
  const standard = { ...readRoutes(made), ...writeRoutes(made) };
  const chosen = Object.entries(standard).flatMap(([name, route]): Route[] => {
    // The role that may archive a record may also unarchive it.
    const offer = (name === 'unarchive' ? 'archive' : name) as StandardEndpoint;
    const isOffered = offers.includes(offer) && (name !== 'unarchive' || archivable);
    const security_event = made.declaration.security_events?.[offer];
    const own = { allow: roles[offer] ?? route.allow, ...(security_event && { security_event }) };
    return isOffered ? [{ ...route, ...own }] : [];
  });
  return audited ? [...chosen, historyRoute(made.declaration)] : chosen;
}

function readRoutes({ declaration: declared, reply, version }: Resource) {
  const { path, name, area, read: allow, table } = declared;
  const target = { tag: area, resource: path, allow, ...readDescription(declared) } as const;
  const common = { ...target, status: 200, reply, method: 'GET', is_undated: true } as const;
  return {
    list: {
      ...common,
      action: 'list',
      summary: listSummary(name),
      path: `/${path}`,
      transaction: 'read',
      list: listDeclarationOf(declared),
      run: (call: Call) => fetchPage(call, table, call.endsTransaction),
    },
    read: {
      ...common,
      action: 'show',
      summary: `Get ${nounWithArticle(name)}`,
      path: `/${path}/{id}`,
      etag: version,
      transaction: 'read',
      run: ({ work, params, endsTransaction }) =>
        findOrThrow(work, table, params['id'], endsTransaction),
    },
  } satisfies Record<string, Route>;
}

/** Declares a single endpoint outside the standard ones. */
export const endpoint = (route: Route): Route => route;
