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
 * @property {Set<string>} importedFiles absolute paths of all imported files, also of those of which only types are imported, and those that `import()` loads
 * @property {Map<string, string[]>} decorators of the classes of the file, by class name
 * @property {Set<string>} moduleExports the names in `exports` of the Nest modules
 * @property {NestModule[]} modules the Nest modules of a module file
 */

const SOURCE = /\.(tsx?|mjs)$/;
/** Of a file that is loaded later, or of its types in a comment. */
const IMPORT_CALL = /\bimport\('([^']+)'\)/g;
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
  for (const [, specifier] of source.text.matchAll(IMPORT_CALL)) addImportedFile(parsed, file, specifier);
  const isModuleFile = file.endsWith('.module.ts');
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImport(parsed, file, statement);
    if (ts.isExportDeclaration(statement)) addImportedFile(parsed, file, textOf(statement.moduleSpecifier));
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
  const target = addImportedFile(parsed, file, textOf(moduleSpecifier));
  if (!target || importClause?.isTypeOnly) return;
  const bindings = importClause?.namedBindings;
  const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
  const values = elements.filter(({ isTypeOnly }) => !isTypeOnly);
  if (elements.length > 0 && values.length === 0) return;
  const names = values.map(({ name, propertyName }) => (propertyName ?? name).text);
  parsed.imports.push({ file: target, names });
}

/** @param {ts.Expression | undefined} specifier @returns {string | undefined} */
const textOf = (specifier) => (specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined);

/** @param {ParsedFile} parsed @param {string} file @param {string | undefined} specifier @returns {string | undefined} the file */
function addImportedFile(parsed, file, specifier) {
  if (!specifier?.startsWith('.')) return undefined;
  const target = resolve(path.resolve(path.dirname(file), specifier));
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

/**
 * Strongly connected components (Tarjan).
 * @template Node
 * @param {Node[]} nodes
 * @param {(node: Node) => Node[]} successorsOf
 * @returns {Node[][]}
 */
export function components(nodes, successorsOf) {
  /** @type {Map<Node, { index: number, low: number, isOpen: boolean }>} */
  const visits = new Map();
  /** @type {Node[]} */
  const open = [];
  /** @type {Node[][]} */
  const found = [];
  /** @param {Node} node */
  const visit = (node) => {
    const own = { index: visits.size, low: visits.size, isOpen: true };
    visits.set(node, own);
    open.push(node);
    for (const successor of successorsOf(node)) {
      const other = visits.get(successor) ?? visit(successor);
      if (other.isOpen) own.low = Math.min(own.low, other.low);
    }
    if (own.low === own.index) {
      const component = open.splice(open.indexOf(node));
      for (const member of component) Object.assign(visits.get(member) ?? {}, { isOpen: false });
      found.push(component);
    }
    return own;
  };
  for (const node of nodes) if (!visits.has(node)) visit(node);
  return found;
}
