import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const root = import.meta.dirname;
const SPECS = ['**/*spec.ts', '**/*.fixture.ts', '**/test/**'];
const GENERATED = 'apps/console-ui/src/api/schema';
/** @typedef {{ folder: string, name: string, type: keyof typeof mayImport }} Project */

/** @type {Project[]} */
const projects = ['apps', 'libs', 'packages', 'tools'].flatMap((area) =>
  readdirSync(join(root, area))
    .map((name) => `${area}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'project.json')))
    .map((folder) => {
      const { name, tags } = JSON.parse(readFileSync(join(root, folder, 'project.json'), 'utf8'));
      return { folder, name, type: tags.find((/** @type {string} */ tag) => tag.startsWith('type:')) };
    }),
);

/**
 * What each type of project may import; no project imports an app, and only tools and tests import a tool or a client.
 */
const mayImport = {
  'type:app': ['type:domain', 'type:platform'],
  'type:domain': ['type:domain', 'type:platform'],
  'type:platform': ['type:platform'],
  'type:tool': ['type:client', 'type:domain', 'type:platform', 'type:tool'],
  'type:client': [],
  'type:ui': ['type:client'],
};

const BY_ALIAS = 'Import another project by its alias only.';

/** @param {Project} project @param {boolean} isSpec */
function forbiddenImports(project, isSpec) {
  const allowed = new Set(mayImport[project.type]);
  if (isSpec) allowed.add('type:tool').add('type:client');
  const forbidden = projects
    .filter((other) => other.name !== project.name)
    .filter((other) => !allowed.has(other.type))
    .map((other) => `@inference/${other.name}`);
  return {
    paths: forbidden.map((name) => ({
      name,
      message: `${project.type} may not import this (see the tags in project.json).`,
    })),
    patterns: [
      {
        group: ['**/apps/*', '**/libs/*', '**/packages/*', '**/tools/*', '@inference/*/*'],
        message: BY_ALIAS,
      },
      // From a folder beside: ../../console/src/config
      { regex: String.raw`(^|/)\.\./[^./][^/]*/(src|test)(/|$)`, message: BY_ALIAS },
    ],
  };
}

/** @param {Project} project @param {boolean} isSpec @returns {import('eslint').Linter.RuleEntry} */
const restricted = (project, isSpec) => ['error', forbiddenImports(project, isSpec)];

export default tseslint.config(
  { ignores: ['**/node_modules', 'dist', '.nx', '**/.data*', GENERATED] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'require',
          'module',
          '__dirname',
          'fetch',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'setImmediate',
          'Buffer',
          'URL',
          'AbortController',
          'AbortSignal',
          'performance',
          'TextDecoder',
          'TextEncoder',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts', 'packages/**/*.ts'],
    ignores: ['libs/config/**', ...SPECS, 'libs/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'The environment is read once, in the config file of the app.',
        },
      ],
    },
  },
  {
    files: ['apps/console-ui/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'no-restricted-syntax': [
        'error',
        ...[
          "ImportDeclaration[source.value='@mantine/core'] ImportSpecifier[imported.name=/^(Simple)?Grid$/]",
          'JSXAttribute > JSXExpressionContainer > ObjectExpression > Property[key.name=/^(base|xs|sm|md|lg|xl)$/]',
        ].map((selector) => ({
          selector,
          message: 'Mantine writes a style element for it, which the page policy refuses. Use a CSS module.',
        })),
      ],
    },
  },
  {
    files: ['apps/console-ui/public/**'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly', matchMedia: 'readonly' } },
  },
  ...projects.flatMap((project) => [
    {
      files: [`${project.folder}/**/*.{ts,tsx}`],
      ignores: SPECS,
      rules: { 'no-restricted-imports': restricted(project, false) },
    },
    {
      files: SPECS.map((pattern) => `${project.folder}/${pattern}`),
      rules: { 'no-restricted-imports': restricted(project, true) },
    },
  ]),
);
