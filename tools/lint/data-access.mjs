import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { isTestFile, sourceFilesIn } from './source-files.mjs';
import { declarationOf, findSqlLiterals, walk } from './sql-literals.mjs';

/**
 * Where apps and libraries access the database, and how much of it is written by hand.
 *
 * @typedef {object} FileFacts
 * @property {string} file relative path
 * @property {boolean} isDataFile whether SQL belongs into it
 * @property {{ line: number, text: string, isStatement: boolean }[]} literals of SQL
 * @property {number[]} queries lines of calls of a method `query`
 * @property {string[]} rowTypes named types that are given to a query: file and name
 * @property {number[]} inlineRowTypes lines of types without a name that are given to a query
 * @property {{ line: number, name: string }[]} mappers functions that make an object of a row
 * @property {number} lines of data access: all of the above, in data files everything but the imports; comments excluded
 * @property {{ line: number, module: string }[]} ormImports imports of TypeORM
 */

const PROJECT_FOLDERS = ['apps', 'libs'];
/** Libraries of the tests, and the tests' part of an app. */
const SKIPPED = /^libs\/testing\/|\/src\/(testing|test)\//;
const DATA_FILE = /\.(repository|entity)\.ts$|\/migrations\/|^libs\/database\//;
const MIGRATION = /\/migrations\//;
const ORM = /^(typeorm|@nestjs\/typeorm)(\/|$)/;
const NEST_MODULE = /\.module\.ts$/;

/** @param {string} root of the repository @returns {FileFacts[]} of all files of apps and libraries that are no tests */
export function readDataAccess(root) {
  const files = PROJECT_FOLDERS.flatMap((area) => sourceFilesIn(path.join(root, area)))
    .map((file) => path.relative(root, file))
    .filter((file) => /^[^/]+\/[^/]+\/src\//.test(file) && !isTestFile(file))
    .filter((file) => !SKIPPED.test(file) && !MIGRATION.test(file));
  const sources = files.map((file) =>
    ts.createSourceFile(file, fs.readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
  );
  const literals = findSqlLiterals(sources);
  return sources.map((source) => factsOf(source, literals.get(source) ?? []));
}

/** @param {ts.SourceFile} source @param {import('./sql-literals.mjs').SqlLiteral[]} literals @returns {FileFacts} */
function factsOf(source, literals) {
  const isDataFile = DATA_FILE.test(source.fileName);
  const queries = queriesOf(source);
  const rowTypes = rowTypesOf(source, queries);
  const mappers = mappersOf(source, rowTypes.names);
  const lineOf = (/** @type {ts.Node} */ node) =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const accesses = [
    ...[...literals.map(({ node }) => node), ...queries].map(enclosingStatement),
    ...[...rowTypes.declarations, ...mappers],
    ...(isDataFile ? source.statements.filter((statement) => !ts.isImportDeclaration(statement)) : []),
  ];
  return {
    file: source.fileName,
    isDataFile,
    literals: literals.map(({ node, isStatement }) => ({
      line: lineOf(node),
      text: node.getText(source).replace(/\s+/g, ' '),
      isStatement,
    })),
    queries: queries.map(lineOf),
    rowTypes: [...rowTypes.names].map((name) => declarationOf(source, name)),
    inlineRowTypes: rowTypes.inline.map(lineOf),
    mappers: mappers.map((node) => ({ line: lineOf(node), name: nameOf(node) })),
    lines: codeLines(source, accesses).size,
    ormImports: source.statements
      .filter(ts.isImportDeclaration)
      .map((node) => ({
        line: lineOf(node),
        module: /** @type {ts.StringLiteral} */ (node.moduleSpecifier).text,
      }))
      .filter(({ module }) => ORM.test(module)),
  };
}

/** @param {ts.SourceFile} source @returns {ts.CallExpression[]} */
function queriesOf(source) {
  /** @type {ts.CallExpression[]} */
  const calls = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    if (node.expression.name.text === 'query' && node.arguments.length > 0) calls.push(node);
  });
  return calls;
}

/**
 * @param {ts.SourceFile} source
 * @param {ts.CallExpression[]} queries
 * @returns {{ names: Set<string>, inline: ts.TypeNode[], declarations: ts.Node[] }} the types that are named as those of the
 *   rows, those that are written in the call, and the declarations of the first kind in this file
 */
function rowTypesOf(source, queries) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {ts.TypeNode[]} */
  const inline = [];
  for (const call of queries) {
    for (const argument of call.typeArguments ?? []) {
      /** @param {ts.Node} type */
      const visit = (type) => {
        if (ts.isTypeLiteralNode(type)) inline.push(type);
        else if (ts.isTypeReferenceNode(type) && !type.typeArguments)
          names.add(type.typeName.getText(source));
        else ts.forEachChild(type, visit);
      };
      visit(argument);
    }
  }
  const declarations = source.statements.filter(
    (statement) =>
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
      names.has(statement.name.text),
  );
  return { names, inline, declarations };
}

/**
 * Functions of this file that make an object of a row: with a parameter of a row type, or given to `rows.map`.
 * @param {ts.SourceFile} source
 * @param {Set<string>} rowTypes
 * @returns {ts.FunctionLikeDeclaration[]}
 */
function mappersOf(source, rowTypes) {
  /** @type {ts.FunctionLikeDeclaration[]} */
  const mappers = [];
  walk(source, (node) => {
    if (!isFunction(node) || !returnsObject(node)) return;
    const takesRow = node.parameters.some(({ type }) => type && namesRow(type, rowTypes));
    if (takesRow || isGivenToRowsMap(node)) mappers.push(node);
  });
  return mappers;
}

/** @param {ts.Node} node @returns {node is ts.FunctionLikeDeclaration} */
const isFunction = (node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node);

/** @param {ts.TypeNode} type @param {Set<string>} rowTypes */
function namesRow(type, rowTypes) {
  let isNamed = ts.isTypeReferenceNode(type) && rowTypes.has(type.typeName.getText());
  walk(type, (node) => {
    isNamed ||= ts.isTypeReferenceNode(node) && rowTypes.has(node.typeName.getText());
  });
  return isNamed;
}

/** @param {ts.Node} node */
const isGivenToRowsMap = ({ parent }) =>
  ts.isCallExpression(parent) && /\brows\)?\.map$/.test(parent.expression.getText());

/** @param {ts.Expression | undefined} expression @returns {boolean} */
const isObject = (expression) =>
  expression !== undefined &&
  (ts.isParenthesizedExpression(expression)
    ? isObject(expression.expression)
    : ts.isObjectLiteralExpression(expression) || ts.isNewExpression(expression));

/** @param {ts.FunctionLikeDeclaration} node */
function returnsObject({ body }) {
  if (!body) return false;
  if (!ts.isBlock(body)) return isObject(/** @type {ts.Expression} */ (body));
  return body.statements.some(
    (statement) => ts.isReturnStatement(statement) && isObject(statement.expression),
  );
}

/** @param {ts.Node} node @returns {string} of a function or of the constant that holds it */
function nameOf(node) {
  const named = ts.isVariableDeclaration(node.parent) ? node.parent : node;
  const name = /** @type {{ name?: ts.Node }} */ (named).name;
  return name?.getText() ?? '(inline)';
}

/** @param {ts.Node} node @returns {ts.Node} the statement or class member that contains it, or the arrow function without a block */
function enclosingStatement(node) {
  const { parent } = node;
  const isWhole =
    ts.isSourceFile(parent) ||
    ts.isBlock(parent) ||
    ts.isClassLike(parent) ||
    (ts.isArrowFunction(parent) && parent.body === node);
  return isWhole ? node : enclosingStatement(parent);
}

/** @param {ts.SourceFile} source @param {ts.Node[]} nodes @returns {Set<number>} lines of their tokens */
function codeLines(source, nodes) {
  /** @type {Set<number>} */
  const lines = new Set();
  /** @param {ts.Node} node */
  const addTokens = (node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(addTokens);
    if (node.getWidth(source) === 0) return;
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  nodes.forEach(addTokens);
  return lines;
}

const SHOWN_CHARS = 60;

/**
 * SQL text and TypeORM belong into repositories, entities, migrations and libs/database. Modules may register entities.
 * @param {FileFacts[]} facts
 * @returns {{ place: string, problem: string }[]}
 */
export function findMisplacedDataAccess(facts) {
  return facts
    .filter(({ isDataFile }) => !isDataFile)
    .flatMap(({ file, literals, ormImports }) => [
      ...literals.map(({ line, text }) => ({
        place: `${file}:${line}`,
        problem: `SQL belongs into a repository: ${text.slice(0, SHOWN_CHARS)}`,
      })),
      ...ormImports
        .filter(({ module }) => !(module.startsWith('@nestjs/') && NEST_MODULE.test(file)))
        .map(({ line, module }) => ({
          place: `${file}:${line}`,
          problem: `imports ${module}, which belongs into a repository or an entity`,
        })),
    ]);
}
