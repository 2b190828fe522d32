import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Manifest } from './manifests';

interface Model {
  validate(): void;
}
type Models = Record<string, (new (content: Manifest) => Model) | undefined>;

const load = createRequire(__filename);

/** The package that has the schemas and the types of an API. */
const packageOf = (apiVersion: string): string =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;

/** What the schema of its kind has against a manifest; empty if nothing. A schema does not refuse fields that it does not know. */
export function schemaFaults(manifest: Manifest): string {
  const { apiVersion, kind } = manifest;
  const Kind = (load(packageOf(apiVersion)) as Models)[kind];
  if (!Kind) return `${apiVersion} has no kind ${kind}`;
  try {
    new Kind(manifest).validate();
    return '';
  } catch (error) {
    return `${kind} ${manifest.metadata.name}: ${(error as Error).message}`;
  }
}

/** What the TypeScript types of their kinds have against manifests. They refuse fields that they do not know. */
export function typeFaults(manifests: Manifest[]): string[] {
  const text = manifests
    .map(
      ({ apiVersion, kind, ...content }, index) =>
        `import { ${kind} as Kind${index} } from '${packageOf(apiVersion)}';\n` +
        `export const manifest${index}: ConstructorParameters<typeof Kind${index}>[0] = ${JSON.stringify(content)};\n`,
    )
    .join('');
  // Beside the packages, so that the imports are found.
  const file = join(dirname(load.resolve('kubernetes-models')), '../../manifests.ts');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.getSourceFile = (name, languageOrOptions, ...rest) =>
    name === file
      ? ts.createSourceFile(file, text, languageOrOptions)
      : getSourceFile(name, languageOrOptions, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0 }) => {
    const index = Math.ceil(text.slice(0, start).split('\n').length / 2) - 1;
    const { kind, metadata } = manifests[index] ?? { kind: 'unknown', metadata: { name: '' } };
    return `${kind} ${metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
