import Handlebars from 'handlebars';

/**
 * Says whether the parsed template contains only what a tenant may write.
 *
 * `checkTemplate` refuses everything else on saving. This second check uses Handlebars' own syntax tree, so
 * it holds even if the two parsers disagree.
 */
export function isHarmless(handlebars: string): boolean {
  return Handlebars.parse(handlebars).body.every(isHarmlessStatement);
}

function isHarmlessStatement(node: hbs.AST.Node): boolean {
  if (node.type === 'ContentStatement' || node.type === 'CommentStatement') return true;
  if (isOfType<hbs.AST.MustacheStatement>(node, 'MustacheStatement')) {
    return node.escaped && isHarmlessCall(node);
  }
  if (!isOfType<hbs.AST.BlockStatement>(node, 'BlockStatement')) return false;
  const statements = [...node.program.body, ...(node.inverse?.body ?? [])];
  return (
    /^(if|unless)$/.test(node.path.original) &&
    hasNoHash(node) &&
    node.params.every(isPath) &&
    statements.every(isHarmlessStatement)
  );
}

type Call = { path: hbs.AST.Node; params: hbs.AST.Expression[]; hash?: hbs.AST.Hash };

function isHarmlessCall({ path, params, hash }: Call): boolean {
  if (!isPath(path) || !hasNoHash({ hash })) return false;
  if (params.length === 0) return true;
  const isFilter =
    isOfType<hbs.AST.PathExpression>(path, 'PathExpression') && FILTER.test(path.original);
  return isFilter && params.every(isArgument);
}

const FILTER = /^as_(currency|date|number|percent)$/;

function isArgument(node: hbs.AST.Node): boolean {
  if (isOfType<hbs.AST.SubExpression>(node, 'SubExpression')) return isHarmlessCall(node);
  return node.type === 'StringLiteral' || isPath(node);
}

function isPath(node: hbs.AST.Node): boolean {
  if (!isOfType<hbs.AST.PathExpression>(node, 'PathExpression')) return false;
  if (node.data) return node.original === '@root.locale';
  return node.depth === 0 && node.parts.every((part: unknown) => typeof part === 'string');
}

function hasNoHash({ hash }: { hash?: hbs.AST.Hash | undefined }): boolean {
  return (hash?.pairs.length ?? 0) === 0;
}

function isOfType<Node extends hbs.AST.Node>(node: hbs.AST.Node, type: Node['type']): node is Node {
  return node.type === type;
}
