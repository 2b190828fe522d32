import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * The source files of the repository, and what the checks read of them.
 *
 * @typedef {object} ImportedNames
 * @property {string} file absolute path of the imported file
 * @property {string[]} names the imported values; types are left out
 *
 * @typedef {object} ParsedFile
 * @property {ImportedNames[]} imports of files of the repository by relative path
 * @property {Map<string, string[]>} decorators of the classes of the file, by class name
 * @property {Set<string>} moduleExports the names in `exports` of a Nest module
 */

const SOURCE = /\.(tsx?|mjs)$/;
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist']);

/** @param {string} file relative to the repository or to `src` @returns {boolean} whether it is a test or a part of one */
export const isTestFile = (file) => /spec\.ts$|\.fixture\.ts$|(^|\/src\/)testing\//.test(file);

/** @param {string} folder @returns {string[]} absolute paths of all source files in it, without declaration files */
export function sourceFilesIn(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : sourceFilesIn(place);
    return SOURCE.test(entry.name) && !entry.name.endsWith('.d.ts') ? [place] : [];
  });
}

/** @param {string} file @returns {ParsedFile} */
export function parseFile(file) {
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  /** @type {ParsedFile} */
  const parsed = { imports: [], decorators: new Map(), moduleExports: new Set() };
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImport(parsed, file, statement);
    if (ts.isClassDeclaration(statement) && statement.name)
      parsed.decorators.set(statement.name.text, decoratorsOf(statement));
  }
  if (file.endsWith('.module.ts')) addModuleExports(parsed, source);
  return parsed;
}

/** @param {ParsedFile} parsed @param {string} file @param {ts.ImportDeclaration} statement */
function addImport(parsed, file, { importClause, moduleSpecifier }) {
  if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.')) return;
  if (importClause?.isTypeOnly) return;
  const target = resolve(path.resolve(path.dirname(file), moduleSpecifier.text));
  if (!target) return;
  const bindings = importClause?.namedBindings;
  const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
  const values = elements.filter(({ isTypeOnly }) => !isTypeOnly);
  if (elements.length > 0 && values.length === 0) return;
  const names = values.map(({ name, propertyName }) => (propertyName ?? name).text);
  parsed.imports.push({ file: target, names });
}

/** @param {string} target @returns {string | undefined} */
const resolve = (target) =>
  [target, `${target}.ts`, `${target}.tsx`, `${target}.mjs`, path.join(target, 'index.ts')].find(
    (candidate) => SOURCE.test(candidate) && fs.existsSync(candidate),
  );

/** @param {ts.ClassDeclaration} declaration @returns {string[]} */
function decoratorsOf(declaration) {
  return (ts.getDecorators(declaration) ?? []).map(({ expression }) =>
    (ts.isCallExpression(expression) ? expression.expression : expression).getText(),
  );
}

/** Reads every array named `exports`, of `@Module` and of dynamic modules alike. @param {ParsedFile} parsed @param {ts.Node} node */
function addModuleExports(parsed, node) {
  if (
    ts.isPropertyAssignment(node) &&
    node.name.getText() === 'exports' &&
    ts.isArrayLiteralExpression(node.initializer)
  )
    for (const element of node.initializer.elements) parsed.moduleExports.add(element.getText());
  ts.forEachChild(node, (child) => addModuleExports(parsed, child));
}
