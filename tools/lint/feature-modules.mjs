import path from 'node:path';
import { isTestFile, parseFile, sourceFilesIn } from './source-files.mjs';

/**
 * Checks the feature modules of an app.
 *
 * A feature is a folder with a `*.module.ts` file, together with its sub-folders. A folder directly below `src` whose
 * sub-folders have modules of their own is an area, not a feature. Files outside of all features are not checked, except
 * that they must respect the exports of the features, too.
 *
 * @typedef {import('./source-files.mjs').ParsedFile} ParsedFile
 * @typedef {{ folder: string, exports: Set<string> }} Feature
 * @typedef {{ place: string, problem: string }} Problem
 */

/** @param {string} root of the repository @param {string} app such as `apps/console` @returns {Problem[]} */
export function findModuleViolations(root, app) {
  const src = path.join(root, app, 'src');
  const files = new Map(
    sourceFilesIn(src)
      .filter((file) => !isTestFile(path.relative(src, file)))
      .map((file) => [file, parseFile(file)]),
  );
  const features = findFeatures(src, files);
  return [...cycles(src, files, features), ...privateImports(src, files, features)].map(
    ({ place, problem }) => ({ place: path.posix.join(app, 'src', place), problem }),
  );
}

/** @param {string} src @param {Map<string, ParsedFile>} files @returns {Feature[]} */
function findFeatures(src, files) {
  const modules = [...files.keys()].filter(
    (file) => file.endsWith('.module.ts') && path.dirname(file) !== src,
  );
  const folders = [...new Set(modules.map((file) => path.dirname(file)))];
  const isArea = (/** @type {string} */ folder) =>
    path.dirname(folder) === src && folders.some((other) => isInside(other, folder));
  const candidates = folders.filter((folder) => !isArea(folder));
  const outermost = candidates.filter((folder) => !candidates.some((other) => isInside(folder, other)));
  return outermost.map((folder) => ({
    folder,
    exports: new Set(
      modules
        .filter((file) => isInside(file, folder))
        .flatMap((file) => [...(files.get(file)?.moduleExports ?? [])]),
    ),
  }));
}

/** @param {string} file */
const isEntityFile = (file) => file.endsWith('.entity.ts');

/** @param {string} place @param {string} folder */
const isInside = (place, folder) => place.startsWith(folder + path.sep);

/** @param {Feature[]} features @param {string} file @returns {Feature | undefined} */
const featureOf = (features, file) => features.find(({ folder }) => isInside(file, folder));

/** @param {string} src @param {Map<string, ParsedFile>} files @param {Feature[]} features @returns {Problem[]} */
function cycles(src, files, features) {
  /** @type {Map<Feature, Map<Feature, string>>} the imported features, each with an importing file as an example */
  const imported = new Map(features.map((feature) => [feature, new Map()]));
  for (const [file, { imports }] of files) {
    const from = featureOf(features, file);
    for (const { file: target } of imports) {
      const to = featureOf(features, target);
      // Foreign keys: the tables have an order of their own.
      if (isEntityFile(file) && isEntityFile(target)) continue;
      if (from && to && from !== to) imported.get(from)?.set(to, file);
    }
  }
  return components(features, (feature) => [...(imported.get(feature)?.keys() ?? [])])
    .filter((component) => component.length > 1)
    .map((component) => {
      const edges = component.flatMap((from) =>
        [...(imported.get(from) ?? [])]
          .filter(([to]) => component.includes(to))
          .map(([to, file]) => `${path.relative(src, file)} imports ${path.relative(src, to.folder)}`),
      );
      const [place = '', ...others] = component.map(({ folder }) => path.relative(src, folder)).sort();
      return { place, problem: `import cycle with ${others.join(', ')} (${edges.sort().join('; ')})` };
    });
}

/**
 * Strongly connected components (Tarjan).
 * @template Node
 * @param {Node[]} nodes
 * @param {(node: Node) => Node[]} successorsOf
 * @returns {Node[][]}
 */
function components(nodes, successorsOf) {
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

/**
 * Finds imports of providers and controllers that their feature does not export.
 * @param {string} src
 * @param {Map<string, ParsedFile>} files
 * @param {Feature[]} features
 * @returns {Problem[]}
 */
function privateImports(src, files, features) {
  return [...files].flatMap(([file, { imports }]) =>
    imports.flatMap(({ file: target, names }) => {
      const owner = featureOf(features, target);
      if (!owner || owner === featureOf(features, file)) return [];
      return names
        .filter((name) => isProvider(files.get(target), name) && !owner.exports.has(name))
        .map((name) => ({
          place: path.relative(src, file),
          problem: `imports ${name}, which the module of ${path.relative(src, owner.folder)} does not export`,
        }));
    }),
  );
}

/** @param {ParsedFile | undefined} parsed @param {string} name */
const isProvider = (parsed, name) =>
  (parsed?.decorators.get(name) ?? []).some((decorator) => ['Injectable', 'Controller'].includes(decorator));
