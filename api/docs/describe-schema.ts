import { renderMarkdown } from '../../templates/docs/markdown.ts';

/** Part of an OpenAPI document. */
export type Node = { readonly [key: string]: unknown };

/** A field as the reference shows it. */
export type Field = {
  name: string;
  /** "decimal string or null", "array of objects". */
  type: string;
  isRequired: boolean;
  /** Limits, choices and defaults, one sentence each. */
  notes: string[];
  /** HTML. */
  description: string;
  fields: Field[];
};

/** Follows `$ref` to the part of the document that it names. */
export type Resolve = (node: Node) => { node: Node; name: string | null };

const DEPTH_MAX = 8;
const CHOICES_MAX = 40;
const PATTERN_MAX = 60;

export function resolverOf(document: Node): Resolve {
  return function resolve(node): ReturnType<Resolve> {
    const { $ref: reference } = node;
    if (typeof reference !== 'string') return { node, name: null };
    const path = reference.replace(/^#\//, '').split('/');
    const target = path.reduce((at, key) => child(at, key) ?? {}, document);
    return { node: resolve(target).node, name: path.at(-1) ?? null };
  };
}

/** An object below a key, or undefined. */
export function child(node: Node, key: string): Node | undefined {
  const value = Object.hasOwn(node, key) ? node[key] : undefined;
  return isNode(value) ? value : undefined;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : [];
const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The fields of a schema, with nested fields below them. Schemas that contain themselves end at the name. */
export function fieldsOf(schema: Node, resolve: Resolve, above: readonly string[] = []): Field[] {
  const { node, name } = resolve(schema);
  if ((name !== null && above.includes(name)) || above.length > DEPTH_MAX) return [];
  const inside = [...above, name ?? ''];
  const whole = nodesIn(node['allOf']).flatMap((part) => fieldsOf(part, resolve, inside));
  const choices = choicesOf(node, resolve);
  const variants = choices.flatMap((choice, at) => {
    const fields = fieldsOf(choice, resolve, inside);
    if (choices.length === 1 || fields.length === 0) return fields;
    const variant = resolve(choice).name ?? `form ${at + 1}`;
    return [{ ...EMPTY_FIELD, name: `either: ${variant}`, type: 'object', fields }];
  });
  const items = child(node, 'items');
  const values = child(node, 'additionalProperties');
  const required = stringsIn(node['required']);
  const properties = Object.entries(child(node, 'properties') ?? {}).flatMap(([key, value]) =>
    isNode(value)
      ? [fieldOf(key, value, { resolve, inside, isRequired: required.includes(key) })]
      : [],
  );
  return [
    ...whole,
    ...variants,
    ...properties,
    ...(items ? fieldsOf(items, resolve, inside) : []),
    ...(values ? [fieldOf('(any key)', values, { resolve, inside, isRequired: false })] : []),
  ];
}

const EMPTY_FIELD = { isRequired: false, notes: [], description: '' };

type Place = { resolve: Resolve; inside: readonly string[]; isRequired: boolean };

function fieldOf(name: string, schema: Node, { resolve, inside, isRequired }: Place): Field {
  const { node } = resolve(schema);
  const text = schema['description'] ?? node['description'];
  return {
    name,
    isRequired,
    type: typeOf(schema, resolve),
    notes: notesOf(schema, resolve),
    description: typeof text === 'string' ? renderMarkdown(text).html : '',
    fields: fieldsOf(schema, resolve, inside),
  };
}

/** The alternatives of a union, without null. */
function choicesOf(node: Node, resolve: Resolve): Node[] {
  const choices = [...nodesIn(node['anyOf']), ...nodesIn(node['oneOf'])];
  return choices.filter((choice) => resolve(choice).node['type'] !== 'null');
}

/** The type in words: "UUID", "decimal string or null", "array of Loan". */
export function typeOf(schema: Node, resolve: Resolve, above: readonly string[] = []): string {
  const { node, name } = resolve(schema);
  if (name !== null && above.includes(name)) return name;
  const inside = name === null ? above : [...above, name];
  const listed = [...nodesIn(node['anyOf']), ...nodesIn(node['oneOf'])];
  if (listed.length > 0) {
    const types = choicesOf(node, resolve).map((choice) => typeOf(choice, resolve, inside));
    const isNullable = types.length < listed.length;
    return [...new Set([...types, ...(isNullable ? ['null'] : [])])].join(' or ');
  }
  const { type } = node;
  const types = Array.isArray(type) ? stringsIn(type) : [typeof type === 'string' ? type : ''];
  const items = child(node, 'items');
  return types
    .map((plain) =>
      plain === 'array' && items
        ? `array of ${typeOf(items, resolve, inside)}`
        : nameOfType(plain, node, name),
    )
    .join(' or ');
}

function nameOfType(type: string, node: Node, name: string | null): string {
  const { format } = node;
  if (type === 'object') return name ?? 'object';
  if (type === 'string' && typeof format === 'string')
    return format === 'uuid' ? 'UUID' : `${format} string`;
  if (type !== '') return type;
  if (name !== null) return name;
  return 'const' in node ? typeof node['const'] : 'enum' in node ? 'string' : 'any value';
}

/** The largest whole number, which the generator writes for numbers without a limit. */
const isUnlimited = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/** Choices, limits and the default, one sentence each. */
export function notesOf(schema: Node, resolve: Resolve): string[] {
  const { node } = resolve(schema);
  const choices = choicesOf(node, resolve);
  const inner = choices.length === 1 && choices[0] ? resolve(choices[0]).node : {};
  const all = { ...inner, ...node, ...schema };
  const items = child(all, 'items');
  const isCounted = all['type'] === 'array';
  const unit = isCounted ? 'items' : 'characters';
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const limit = (key: string, sentence: (value: string) => string) =>
    all[key] === undefined || isUnlimited(all[key]) ? [] : [sentence(text(all[key]))];
  const { enum: values = items && resolve(items).node['enum'], pattern, format } = all;
  // The type already says what a decimal, a date or a UUID looks like.
  const isFormatted = format !== undefined;
  return [
    ...(Array.isArray(values)
      ? [
          `One of: ${values.slice(0, CHOICES_MAX).map(text).join(', ')}${values.length > CHOICES_MAX ? ', …' : ''}.`,
        ]
      : []),
    ...limit('const', (value) => `Always ${value}.`),
    ...limit('minimum', (value) => `Minimum: ${value}.`),
    ...limit('exclusiveMinimum', (value) => `Greater than ${value}.`),
    ...limit('maximum', (value) => `Maximum: ${value}.`),
    ...limit('exclusiveMaximum', (value) => `Less than ${value}.`),
    ...limit(isCounted ? 'minItems' : 'minLength', (value) =>
      value === '1' ? 'Not empty.' : `At least ${value} ${unit}.`,
    ),
    ...limit(
      isCounted ? 'maxItems' : isFormatted ? '' : 'maxLength',
      (value) => `At most ${value} ${unit}.`,
    ),
    ...(typeof pattern === 'string' && !isFormatted && pattern.length <= PATTERN_MAX
      ? [`Pattern: ${pattern}`]
      : []),
    ...limit('default', (value) => `Default: ${value}.`),
    ...(all['readOnly'] === true ? ['Read only.'] : []),
  ];
}
