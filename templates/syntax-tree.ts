import Handlebars from 'handlebars';

/**
 * Whether the parsed text holds nothing but what a tenant may write.
 *
 * The check at save has refused everything else already; this second look, at what Handlebars
 * itself understood, holds even when the two readers disagree.
 */
export function isHarmless(handlebars: string): boolean {
  return Handlebars.parse(handlebars).body.every(isHarmlessStatement);
}

function isHarmlessStatement(node: hbs.AST.Node): boolean {
  switch (node.type) {
    case 'ContentStatement':
      return true;
    case 'MustacheStatement': {
      const mustache = node as hbs.AST.MustacheStatement;
      return mustache.escaped && isHarmlessCall(mustache);
    }
    case 'BlockStatement': {
      const block = node as hbs.AST.BlockStatement;
      const parts = [block.program, block.inverse].filter((part) => part !== undefined);
      return (
        /^(if|unless)$/.test(block.path.original) &&
        isPlain(block) &&
        block.params.every(isPath) &&
        parts.every((part) => part === null || part.body.every(isHarmlessStatement))
      );
    }
    default:
      return false;
  }
}

type Call = { path: unknown; params: hbs.AST.Expression[]; hash?: hbs.AST.Hash };

function isHarmlessCall(call: Call): boolean {
  const path = call.path as hbs.AST.PathExpression;
  if (!isPath(path) || !isPlain(call)) return false;
  if (call.params.length === 0) return true;
  return /^as_(currency|date|number|percent)$/.test(path.original) && call.params.every(isArgument);
}

function isArgument(node: hbs.AST.Expression): boolean {
  if (node.type === 'StringLiteral') return true;
  if (node.type === 'SubExpression') return isHarmlessCall(node as hbs.AST.SubExpression);
  return isPath(node);
}

function isPath(node: hbs.AST.Node): boolean {
  if (node.type !== 'PathExpression') return false;
  const path = node as hbs.AST.PathExpression;
  if (path.data) return path.original === '@root.locale';
  return path.depth === 0 && path.parts.every((part) => typeof part === 'string');
}

function isPlain(call: Call): boolean {
  return (call.hash?.pairs.length ?? 0) === 0;
}
