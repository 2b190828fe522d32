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
 * @typedef {object} NestModule
 * @property {string} name of the class
 * @property {string[]} imports the names in `imports`
 * @property {string[]} classes the names in `controllers` and `providers`
 *
 * @typedef {object} ParsedFile
 * @property {ImportedNames[]} imports of files of the repository by relative path
 * @property {Set<string>} importedFiles absolute paths of all imported files, also of those of which only types are imported
 * @property {Map<string, string[]>} decorators of the classes of the file, by class name
 * @property {Set<string>} moduleExports the names in `exports` of the Nest modules
 * @property {NestModule[]} modules the Nest modules of a module file
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
  const parsed = {
    imports: [],
    importedFiles: new Set(),
    decorators: new Map(),
    moduleExports: new Set(),
    modules: [],
  };
  const isModuleFile = file.endsWith('.module.ts');
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImport(parsed, file, statement);
    if (ts.isExportDeclaration(statement)) addImportedFile(parsed, file, statement.moduleSpecifier);
    if (!ts.isClassDeclaration(statement) || !statement.name) continue;
    const decorators = decoratorsOf(statement);
    parsed.decorators.set(statement.name.text, decorators);
    if (isModuleFile && decorators.includes('Module'))
      parsed.modules.push({
        name: statement.name.text,
        imports: namesIn(statement, ['imports']),
        classes: namesIn(statement, ['controllers', 'providers']),
      });
  }
  if (isModuleFile) parsed.moduleExports = new Set(namesIn(source, ['exports']));
  return parsed;
}

/** @param {ParsedFile} parsed @param {string} file @param {ts.ImportDeclaration} statement */
function addImport(parsed, file, { importClause, moduleSpecifier }) {
  const target = addImportedFile(parsed, file, moduleSpecifier);
  if (!target || importClause?.isTypeOnly) return;
  const bindings = importClause?.namedBindings;
  const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
  const values = elements.filter(({ isTypeOnly }) => !isTypeOnly);
  if (elements.length > 0 && values.length === 0) return;
  const names = values.map(({ name, propertyName }) => (propertyName ?? name).text);
  parsed.imports.push({ file: target, names });
}

/** @param {ParsedFile} parsed @param {string} file @param {ts.Expression | undefined} specifier @returns {string | undefined} the file */
function addImportedFile(parsed, file, specifier) {
  if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
  const target = resolve(path.resolve(path.dirname(file), specifier.text));
  if (target) parsed.importedFiles.add(target);
  return target;
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

/**
 * The elements of all arrays that are properties with these names, in `@Module` and in dynamic modules alike.
 * @param {ts.Node} node @param {string[]} properties @returns {string[]}
 */
function namesIn(node, properties) {
  /** @type {string[]} */
  const names = [];
  if (
    ts.isPropertyAssignment(node) &&
    properties.includes(node.name.getText()) &&
    ts.isArrayLiteralExpression(node.initializer)
  )
    for (const element of node.initializer.elements) names.push(element.getText());
  ts.forEachChild(node, (child) => void names.push(...namesIn(child, properties)));
  return names;
}
