import path from 'node:path';
import { components, isTestFile, sourceFilesIn } from './source-files.mjs';

/**
 * Checks the feature modules of an app.
 *
 * An area is a folder directly below `src`. If its module file holds several Nest modules, one for each feature, then every
 * folder below the area is a feature, and whatever the modules of the area export may be used by others. The same holds for
 * `src` itself and its folders without a module file, if a module file in `src` holds several modules. Otherwise a feature
 * is a folder with a `*.module.ts` file, together with its sub-folders; a folder directly below `src` whose sub-folders have
 * modules of their own is none. Files outside of all features are not checked, except that they must respect the exports of
 * the features, too, and the directions between areas.
 *
 * @typedef {import('./source-files.mjs').ParsedFile} ParsedFile
 * @typedef {{ folder: string, exports: Set<string> }} Feature
 * @typedef {Feature & { moduleFiles: string[] }} Area whose module files hold the modules of its features
 * @typedef {{ place: string, problem: string }} Problem
 * @typedef {{ src: string, files: Map<string, ParsedFile>, features: Feature[], areas: Area[] }} App
 */

/**
 * @param {string} root of the repository @param {string} app such as `apps/console`
 * @param {(file: string) => ParsedFile} parse @returns {Problem[]}
 */
export function findModuleViolations(root, app, parse) {
  const src = path.join(root, app, 'src');
  const files = new Map(
    sourceFilesIn(src)
      .filter((file) => !isTestFile(path.relative(src, file)))
      .map((file) => [file, parse(file)]),
  );
  const areas = findAreas(src, files);
  const context = { src, files, areas, features: findFeatures(src, files, areas) };
  return [
    ...featureCycles(context),
    ...areaCycles(context),
    ...privateImports(context),
    ...mixedModules(context),
  ].map(({ place, problem }) => ({ place: path.posix.join(app, 'src', place), problem }));
}

/** @param {string} src @param {string} file */
const isAreaModule = (src, file) =>
  file.endsWith('.module.ts') && [path.dirname(file), path.dirname(path.dirname(file))].includes(src);

/**
 * The areas with a module file that holds several modules, `src` last.
 * @param {string} src @param {Map<string, ParsedFile>} files @returns {Area[]}
 */
function findAreas(src, files) {
  const holdsSeveral = (/** @type {string} */ file) => (files.get(file)?.modules.length ?? 0) > 1;
  const candidates = [...files.keys()].filter((file) => isAreaModule(src, file));
  const folders = [...new Set(candidates.filter(holdsSeveral).map((file) => path.dirname(file)))];
  return folders
    .sort((one, other) => other.length - one.length)
    .map((folder) => ({
      folder,
      exports: exportsIn(files, folder),
      // The module of the app, beside those of its features, lists areas only.
      moduleFiles: candidates.filter(
        (file) => path.dirname(file) === folder && (folder !== src || holdsSeveral(file)),
      ),
    }));
}

/** @param {string} src @param {Map<string, ParsedFile>} files @param {Area[]} areas @returns {Feature[]} */
function findFeatures(src, files, areas) {
  const isInArea = (/** @type {string} */ place) =>
    areas.some(({ folder }) => folder !== src && isInside(place, folder));
  const hasModules = (/** @type {string} */ folder) =>
    [...files.keys()].some((file) => file.endsWith('.module.ts') && isInside(file, folder));
  const ofAreas = areas.flatMap(({ folder, exports }) => {
    const names = [...files.keys()]
      .filter((file) => isInside(file, folder) && path.dirname(file) !== folder)
      .map((file) => path.relative(folder, file).split(path.sep)[0] ?? '');
    return [...new Set(names)]
      .map((name) => ({ folder: path.join(folder, name), exports }))
      .filter((feature) => folder !== src || !hasModules(feature.folder));
  });
  const folders = [
    ...new Set(
      [...files.keys()]
        .filter((file) => file.endsWith('.module.ts') && path.dirname(file) !== src && !isInArea(file))
        .map((file) => path.dirname(file)),
    ),
  ];
  const isArea = (/** @type {string} */ folder) =>
    path.dirname(folder) === src && folders.some((other) => isInside(other, folder));
  const candidates = folders.filter((folder) => !isArea(folder));
  const outermost = candidates.filter((folder) => !candidates.some((other) => isInside(folder, other)));
  return [...ofAreas, ...outermost.map((folder) => ({ folder, exports: exportsIn(files, folder) }))];
}

/** What the modules in a folder export. @param {Map<string, ParsedFile>} files @param {string} folder @returns {Set<string>} */
const exportsIn = (files, folder) =>
  new Set(
    [...files]
      .filter(([file]) => file.endsWith('.module.ts') && isInside(file, folder))
      .flatMap(([, { moduleExports }]) => [...moduleExports]),
  );

/** @param {string} file */
const isEntityFile = (file) => file.endsWith('.entity.ts');

/** @param {string} place @param {string} folder */
const isInside = (place, folder) => place.startsWith(folder + path.sep);

/** @param {Feature[]} features @param {string} file @returns {Feature | undefined} */
const featureOf = (features, file) => features.find(({ folder }) => isInside(file, folder));

/** The file that declares an imported class. @param {ParsedFile} parsed @param {string} name */
const fileOf = ({ imports }, name) => imports.find(({ names }) => names.includes(name))?.file;

/**
 * The features whose classes a module lists.
 * @param {App} app @param {string} file of the module @param {import('./source-files.mjs').NestModule} listing @returns {Feature[]}
 */
function featuresOf({ files, features }, file, { classes }) {
  const found = classes.flatMap((name) => {
    const declaring = fileOf(/** @type {ParsedFile} */ (files.get(file)), name);
    const feature = declaring && featureOf(features, declaring);
    return feature ? [feature] : [];
  });
  return [...new Set(found)];
}

/**
 * The imports between the modules of areas, which are the imports between their features.
 * @param {App} app @returns {{ from: Feature, to: Feature, file: string }[]}
 */
function moduleImports(app) {
  const { files, areas } = app;
  return areas
    .flatMap(({ moduleFiles }) => moduleFiles)
    .flatMap((file) => {
      const parsed = /** @type {ParsedFile} */ (files.get(file));
      return parsed.modules.flatMap((importing) =>
        importing.imports.flatMap((name) => {
          const place = fileOf(parsed, name) ?? file;
          const imported = files.get(place)?.modules.find((other) => other.name === name);
          if (!imported) return [];
          return featuresOf(app, file, importing).flatMap((from) =>
            featuresOf(app, place, imported).map((to) => ({ from, to, file })),
          );
        }),
      );
    });
}

/** @param {App} app @returns {Problem[]} */
function featureCycles(app) {
  const { src, files, features } = app;
  const fileImports = [...files].flatMap(([file, { imports }]) =>
    imports.flatMap(({ file: target }) => {
      const from = featureOf(features, file);
      const to = featureOf(features, target);
      // Foreign keys: the tables have an order of their own.
      return from && to && !(isEntityFile(file) && isEntityFile(target)) ? [{ from, to, file }] : [];
    }),
  );
  /** @type {Map<Feature, Map<Feature, string>>} the imported features, each with an importing file as an example */
  const imported = new Map(features.map((feature) => [feature, new Map()]));
  for (const { from, to, file } of [...fileImports, ...moduleImports(app)])
    if (from !== to) imported.get(from)?.set(to, file);
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
 * Finds areas that import each other in a circle. Imports of types count, and those of entities.
 * @param {App} app @returns {Problem[]}
 */
function areaCycles({ src, files, features }) {
  // Not a Nest app.
  if (features.length === 0) return [];
  const areaOf = (/** @type {string} */ file) => {
    const [area = '', ...rest] = path.relative(src, file).split(path.sep);
    return rest.length > 0 && area !== '..' ? area : undefined;
  };
  /** @type {Map<string, Map<string, string>>} the imported areas, each with an importing file as an example */
  const imported = new Map();
  for (const [file, { importedFiles }] of files) {
    const from = areaOf(file);
    if (from === undefined) continue;
    const targets = imported.get(from) ?? new Map();
    imported.set(from, targets);
    for (const target of importedFiles) {
      const to = files.has(target) ? areaOf(target) : undefined;
      if (to !== undefined && to !== from && !targets.has(to)) targets.set(to, path.relative(src, file));
    }
  }
  return components([...imported.keys()], (area) => [...(imported.get(area)?.keys() ?? [])])
    .filter((component) => component.length > 1)
    .map((component) => {
      const edges = component.flatMap((from) =>
        [...(imported.get(from) ?? [])]
          .filter(([to]) => component.includes(to))
          .map(([to, file]) => `${file} imports ${to}`),
      );
      const [place = '', ...others] = component.sort();
      return {
        place,
        problem: `area in an import cycle with ${others.join(', ')} (${edges.sort().join('; ')})`,
      };
    });
}

/**
 * Finds imports of providers and controllers that their feature, or their area, does not export. The module file of an area
 * lists what is in the area.
 * @param {App} app @returns {Problem[]}
 */
function privateImports({ src, files, features, areas }) {
  const ownerOf = (/** @type {string} */ file) => featureOf(features, file) ?? featureOf(areas, file);
  const listsIn = (/** @type {string} */ file, /** @type {string} */ target) =>
    areas.some(({ folder, moduleFiles }) => moduleFiles.includes(file) && isInside(target, folder));
  return [...files].flatMap(([file, { imports }]) =>
    imports.flatMap(({ file: target, names }) => {
      const owner = ownerOf(target);
      if (!owner || owner === ownerOf(file) || listsIn(file, target)) return [];
      return names
        .filter((name) => isProvider(files.get(target), name) && !owner.exports.has(name))
        .map((name) => ({
          place: path.relative(src, file),
          problem: `imports ${name}, which the module of ${path.relative(src, owner.folder)} does not export`,
        }));
    }),
  );
}

/**
 * Finds modules of areas that list classes of several features or of other areas, and classes that several modules list.
 * @param {App} app @returns {Problem[]}
 */
function mixedModules(app) {
  const { src, files, areas } = app;
  return areas.flatMap(({ folder, moduleFiles }) => {
    const modules = moduleFiles.flatMap((file) =>
      (files.get(file)?.modules ?? []).map((listing) => ({ file, listing })),
    );
    const mixed = modules.flatMap(({ file, listing }) => {
      const folders = featuresOf(app, file, listing).map((feature) => feature.folder);
      if (folders.length < 2 && folders.every((place) => isInside(place, folder))) return [];
      const listed = folders.map((place) => path.relative(src, place)).sort();
      return [
        {
          place: path.relative(src, file),
          problem: `${listing.name} lists classes of ${listed.join(', ')}: a module lists those of one feature of its area`,
        },
      ];
    });
    const classes = modules.flatMap(({ file, listing }) =>
      listing.classes.filter((name) => fileOf(/** @type {ParsedFile} */ (files.get(file)), name)),
    );
    const repeated = [...new Set(classes.filter((name, index) => classes.indexOf(name) !== index))];
    return [
      ...mixed,
      ...repeated.map((name) => ({
        place: path.relative(src, folder),
        problem: `several modules list ${name}: import the module that exports it`,
      })),
    ];
  });
}

/** @param {ParsedFile | undefined} parsed @param {string} name */
const isProvider = (parsed, name) =>
  (parsed?.decorators.get(name) ?? []).some((decorator) => ['Injectable', 'Controller'].includes(decorator));
