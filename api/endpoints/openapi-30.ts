/**
 * A description in the words of OpenAPI 3.0, for the page alone: its renderer takes eight seconds to open a
 * section that is described in 3.1, and one for the same in 3.0. What is served as openapi.json stays 3.1.
 * It runs on the page, as the text that it is, and so names nothing outside of itself.
 */
export function toOpenApi30<Described extends object>(described: Described): Described {
  type Node = Record<string, unknown>;
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
  const isNull = (value: unknown) => isNode(value) && value['type'] === 'null';

  /** What may also be null says so beside what it is else. */
  function withoutNull(node: Node): Node {
    const { type, anyOf, ...rest } = node;
    if (Array.isArray(type) && type.includes('null'))
      return { ...node, type: type.find((name) => name !== 'null'), nullable: true };
    if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return node;
    const kinds: unknown[] = anyOf.filter((kind) => !isNull(kind));
    const [only] = kinds;
    if (kinds.length > 1 || !isNode(only)) return { ...rest, anyOf: kinds, nullable: true };
    return '$ref' in only
      ? { ...rest, allOf: [only], nullable: true }
      : { ...only, ...rest, nullable: true };
  }

  function limited(node: Node): Node {
    const { exclusiveMinimum: above, exclusiveMaximum: below, const: only, ...rest } = node;
    return {
      ...rest,
      ...(typeof above === 'number' && { minimum: above, exclusiveMinimum: true }),
      ...(typeof below === 'number' && { maximum: below, exclusiveMaximum: true }),
      ...('const' in node && { enum: [only] }),
    };
  }

  function told(value: unknown, name = ''): unknown {
    // An example is data, whatever it looks like.
    if (!isNode(value) || name === 'example' || name === 'examples') return value;
    if (Array.isArray(value)) return value.map((item) => told(item));
    const entries = Object.entries(value).map(([key, item]) => [key, told(item, key)] as const);
    const node = Object.fromEntries(entries);
    // The fields of a record may have the names of these words; what describes them does not.
    return name === 'properties' ? node : limited(withoutNull(node));
  }

  return { ...(told(described) as Described), openapi: '3.0.4' };
}
