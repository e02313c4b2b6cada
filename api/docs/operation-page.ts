import { STATUS_CODES } from 'node:http';
import { renderDocs } from '../../templates/docs/render-docs.ts';
import { renderMarkdown, type LinkCode } from '../../templates/docs/markdown.ts';
import { operationIdOf } from '../endpoints/operation-ids.ts';
import type { Route } from '../endpoints/route.ts';
import {
  child,
  fieldsOf,
  isNode,
  nodesIn,
  notesOf,
  resolverOf,
  typeOf,
  type Node,
  type Resolve,
} from './describe-schema.ts';
import { operationAddress, operationLinks } from './operation-links.ts';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The operations of the reference, grouped by their first tag, in the order of the document's tags. */
export function referenceGroups(routes: readonly Route[], document: Node) {
  const link = operationLinks(routes);
  const byTag = Map.groupBy(routes, (route) => tagOf(route, document));
  const described = new Map(
    nodesIn(document['tags']).map((tag) => [textOf(tag['name']), textOf(tag['description'])]),
  );
  return [...new Set([...described.keys(), ...byTag.keys()])].flatMap((name) => {
    const operations = (byTag.get(name) ?? []).map((route) => ({
      id: operationIdOf(route),
      address: operationAddress(route),
      method: route.method,
      path: route.path,
      summary: textOf(operationOf(route, document)['summary']) || route.summary,
    }));
    const description = renderMarkdown(described.get(name) ?? '', link).html;
    return operations.length === 0 ? [] : [{ name, title: titleOf(name), description, operations }];
  });
}

export type ReferenceGroup = ReturnType<typeof referenceGroups>[number];

/** Returns "Credit reporting" for credit-reporting. */
function titleOf(tag: string) {
  const words = tag.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function tagOf(route: Route, document: Node): string {
  const { tags } = operationOf(route, document);
  const [tag] = Array.isArray(tags) ? (tags as unknown[]) : [];
  return textOf(tag) || route.tag;
}

function operationOf({ path, method }: Route, document: Node): Node {
  const item = child(child(document, 'paths') ?? {}, `/api/v1${path}`) ?? {};
  return child(item, method.toLowerCase()) ?? {};
}

/** The page of one operation, as HTML. */
export function operationPage(route: Route, { document, groups, link }: PageParts): string {
  const resolve = resolverOf(document);
  const operation = operationOf(route, document);
  const parameters = nodesIn(operation['parameters']).map((given) =>
    describeParameter(resolve(given).node, resolve),
  );
  const { method, path, allow, action, resource } = route;
  const tag = tagOf(route, document);
  const isAsked = (parameter: Parameter) => parameter.isRequired || parameter.in === 'path';
  return renderDocs('operation', {
    title: textOf(operation['summary']) || route.summary,
    description: renderMarkdown(textOf(operation['description']), link).html,
    id: operationIdOf(route),
    method,
    path,
    tag,
    tag_title: titleOf(tag),
    groups: groups.map((group) => ({ ...group, is_open: group.name === tag })),
    parameters: PLACES.flatMap(({ place, title }) => {
      const fields = parameters.filter((parameter) => parameter.in === place);
      return fields.length === 0 ? [] : [{ title, fields }];
    }),
    asked: parameters.filter(isAsked),
    optional: parameters.filter((parameter) => !isAsked(parameter)),
    body: describeBody(operation, resolve, route),
    answers: describeAnswers(operation, resolve),
    permission: JSON.stringify({ allow, action, resource }),
  });
}

type PageParts = {
  document: Node;
  groups: readonly ReferenceGroup[];
  link: LinkCode;
};

const PLACES = [
  { place: 'path', title: 'Path parameters' },
  { place: 'query', title: 'Query parameters' },
  { place: 'header', title: 'Headers' },
];

type Parameter = ReturnType<typeof describeParameter>;

function describeParameter(parameter: Node, resolve: Resolve) {
  const schema = child(parameter, 'schema') ?? {};
  const example = parameter['example'] ?? exampleIn(parameter, resolve)[0]?.value;
  return {
    name: textOf(parameter['name']),
    in: textOf(parameter['in']),
    isRequired: parameter['required'] === true,
    type: typeOf(schema, resolve),
    notes: notesOf(schema, resolve),
    description: renderMarkdown(
      textOf(parameter['description'] ?? resolve(schema).node['description']),
    ).html,
    example: example === undefined ? '' : plain(example),
    fields: [],
  };
}

/** The examples of a media type or a parameter. */
function exampleIn(node: Node, resolve: Resolve) {
  const named = Object.entries(child(node, 'examples') ?? {}).flatMap(([name, given]) => {
    if (!isNode(given)) return [];
    const { node: example } = resolve(given);
    return [{ title: textOf(example['summary']) || name, value: example['value'] }];
  });
  return 'example' in node ? [{ title: '', value: node['example'] }, ...named] : named;
}

function describeBody(operation: Node, resolve: Resolve, { takes_file }: Route) {
  const given = child(operation, 'requestBody');
  if (given === undefined) return null;
  const { node } = resolve(given);
  const { schema, examples } = describeContent(node, resolve);
  const [example] = examples;
  return {
    description: renderMarkdown(textOf(node['description'])).html,
    fields: schema ? fieldsOf(schema, resolve) : [],
    example: pretty(example?.value ?? {}),
    takes_file: takes_file === true,
  };
}

/** The schema and the examples of the first media type, which is the only one of our operations. */
function describeContent(node: Node, resolve: Resolve) {
  const [type, media] = Object.entries(child(node, 'content') ?? {})[0] ?? [];
  if (!isNode(media)) return { type, schema: undefined, examples: [] };
  return { type, schema: child(media, 'schema'), examples: exampleIn(media, resolve) };
}

function describeAnswers(operation: Node, resolve: Resolve) {
  return Object.entries(child(operation, 'responses') ?? {}).flatMap(([status, given]) => {
    if (!isNode(given)) return [];
    const { node } = resolve(given);
    const { schema, examples } = describeContent(node, resolve);
    const isSuccess = status.startsWith('2');
    return [
      {
        status,
        meaning: STATUS_CODES[status] ?? '',
        is_success: isSuccess,
        description: renderMarkdown(textOf(node['description'])).html,
        type: schema ? typeOf(schema, resolve) : '',
        // All refusals have the same fields, which the guide on errors explains.
        fields: schema && isSuccess ? fieldsOf(schema, resolve) : [],
        // A single example needs no name.
        examples: examples.map(({ title, value }) => ({
          title: examples.length > 1 ? title : '',
          text: pretty(value),
        })),
        headers: Object.entries(child(node, 'headers') ?? {}).map(([name, header]) => ({
          name,
          description: isNode(header)
            ? renderMarkdown(textOf(resolve(header).node['description'])).html
            : '',
        })),
      },
    ];
  });
}
