import path from 'node:path';
import ts from 'typescript';

/**
 * Finds SQL in source files: string and template literals that are a statement, or a part of one.
 *
 * @typedef {object} SqlLiteral
 * @property {ts.StringLiteralLike | ts.TemplateExpression} node
 * @property {boolean} isStatement false for a part, such as a list of columns
 */

/** Keywords are written in capitals throughout the code, which tells them from prose. */
const STATEMENT = new RegExp(
  [
    String.raw`^[\s(]*(SELECT\s|INSERT INTO\s|UPDATE\s+[a-z"$]|DELETE FROM\s|MERGE INTO\s|VALUES\s*\(|WITH\s+[a-zR"$])`,
    String.raw`^\s*(BEGIN|COMMIT|ROLLBACK|START TRANSACTION)(\s|;|$)`,
    String.raw`^\s*(LISTEN|UNLISTEN|NOTIFY|SAVEPOINT|RELEASE|TRUNCATE|LOCK TABLE|EXPLAIN|CALL|SHOW)\s`,
    String.raw`^\s*SET (LOCAL |SESSION )?[a-z_.]+ (=|TO) `,
    String.raw`^\s*(CREATE|ALTER|DROP|GRANT|REVOKE|VACUUM|ANALYZE|COMMENT ON)\s+[A-Z($]`,
  ].join('|'),
);
const FRAGMENT = new RegExp(
  [
    String.raw`\b(WHERE|FROM|JOIN|ORDER BY|GROUP BY|PARTITION BY|HAVING|RETURNING|ON CONFLICT|UNION ALL|SKIP LOCKED|CASE WHEN)\s`,
    String.raw`\bFOR (NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)\b`,
    String.raw`\bIS (NOT )?(NULL|DISTINCT FROM)\b`,
    String.raw`\b(LIMIT|OFFSET) (\$|\d)`,
    String.raw`\b(NOT )?EXISTS \(`,
    String.raw`^\s*(AND|OR) [a-z("$]`,
    String.raw` AS ["a-z]`,
    String.raw`([=<>]\s*|\w ?\()\$\d`,
    String.raw`::(text|bigint|integer|int|jsonb?|bytea|numeric|date|timestamptz?|interval|boolean|uuid)\b`,
    String.raw`^\s*interval '`,
  ].join('|'),
);

/** @param {ts.Node} node @returns {node is ts.StringLiteralLike | ts.TemplateExpression} */
const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** @param {ts.StringLiteralLike | ts.TemplateExpression} node @returns {string} with `$` in place of expressions */
const textOf = (node) =>
  ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$')
    : node.text;

/** Literals that are no values: paths of imports, types, names of properties. @param {ts.Node} node */
const isValue = ({ parent }) =>
  !ts.isImportDeclaration(parent) &&
  !ts.isExportDeclaration(parent) &&
  !ts.isLiteralTypeNode(parent) &&
  !(
    ts.isPropertyAssignment(parent) &&
    ts.isStringLiteralLike(parent.name) &&
    parent.name === parent.initializer
  );

/** @param {ts.Node} node @param {(node: ts.Node) => void} visit every node below it */
export function walk(node, visit) {
  ts.forEachChild(node, (child) => {
    visit(child);
    walk(child, visit);
  });
}

/** @param {ts.StringLiteralLike | ts.TemplateExpression} node @returns {string | undefined} the constant whose value it is */
function constantOf(node) {
  const { parent } = node;
  const declaration = ts.isAsExpression(parent) ? parent.parent : parent;
  return ts.isVariableDeclaration(declaration) && ts.isIdentifier(declaration.name)
    ? declaration.name.text
    : undefined;
}

/** @param {ts.Node} node @returns {string[]} the constants in the places of a template */
const placedConstants = (node) =>
  ts.isTemplateExpression(node)
    ? node.templateSpans.flatMap(({ expression }) => (ts.isIdentifier(expression) ? [expression.text] : []))
    : [];

/** @param {ts.SourceFile} source @param {string} name @returns {string} file and name of its declaration; the alias of a library stands for a file */
export function declarationOf(source, name) {
  for (const statement of source.statements.filter(ts.isImportDeclaration)) {
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const element = bindings.elements.find((candidate) => candidate.name.text === name);
    if (!element) continue;
    const specifier = /** @type {ts.StringLiteral} */ (statement.moduleSpecifier).text;
    const file = specifier.startsWith('.')
      ? `${path.join(path.dirname(source.fileName), specifier)}.ts`
      : specifier;
    return `${file} ${(element.propertyName ?? element.name).text}`;
  }
  return `${source.fileName} ${name}`;
}

/** A word in a place is a value, such as the name of a job. */
const WORD = /^[\w-]*$/;

/**
 * A constant is SQL, too, if a template of SQL contains it: `id, name, created_at` is not recognizable by itself.
 * @param {ts.SourceFile[]} sources
 * @returns {Map<ts.SourceFile, SqlLiteral[]>}
 */
export function findSqlLiterals(sources) {
  /** @type {Map<ts.SourceFile, SqlLiteral[]>} */
  const found = new Map(sources.map((source) => [source, []]));
  /** @type {Map<string, { source: ts.SourceFile, node: ts.StringLiteralLike | ts.TemplateExpression }>} */
  const constants = new Map();
  /** @type {string[]} */
  const placed = [];
  /** @param {ts.SourceFile} source @param {SqlLiteral} literal */
  const add = (source, literal) => {
    found.get(source)?.push(literal);
    placed.push(...placedConstants(literal.node).map((name) => declarationOf(source, name)));
  };
  for (const source of sources) {
    walk(source, (node) => {
      if (!isText(node) || !isValue(node)) return;
      const text = textOf(node);
      const isStatement = STATEMENT.test(text);
      if (isStatement || FRAGMENT.test(text)) return add(source, { node, isStatement });
      const name = constantOf(node);
      if (name !== undefined && !WORD.test(text))
        constants.set(`${source.fileName} ${name}`, { source, node });
    });
  }
  for (let next = placed.pop(); next !== undefined; next = placed.pop()) {
    const constant = constants.get(next);
    if (constant && constants.delete(next)) add(constant.source, { node: constant.node, isStatement: false });
  }
  return found;
}
