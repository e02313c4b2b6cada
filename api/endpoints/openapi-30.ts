/**
 * Converts the document to OpenAPI 3.0 for the docs page. Its renderer needs eight seconds to open a
 * section in 3.1 and one second in 3.0. The served openapi.json stays 3.1.
 *
 * The docs page runs the source text of this function, so it must not use names from outside.
 */
export function toOpenApi30<Described extends object>(described: Described): Described {
  type Node = Record<string, unknown>;
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
  const isNull = (value: unknown) => isNode(value) && value['type'] === 'null';

  /** Replaces a union with null by `nullable: true`. */
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

  function toOlderSchema(value: unknown, name = ''): unknown {
    // Examples are data and must not be converted.
    if (!isNode(value) || name === 'example' || name === 'examples') return value;
    if (Array.isArray(value)) return value.map((item) => toOlderSchema(item));
    const entries = Object.entries(value).map(
      ([key, item]) => [key, toOlderSchema(item, key)] as const,
    );
    const node = Object.fromEntries(entries);
    // Keys below `properties` are field names, which may coincide with schema keywords.
    return name === 'properties' ? node : limited(withoutNull(node));
  }

  return { ...(toOlderSchema(described) as Described), openapi: '3.0.4' };
}
