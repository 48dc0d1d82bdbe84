import { join } from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from '../../src/repository.js';
import { titleOf, type Manifest } from './manifest.js';

/** Class that a module of the models exports for its kind. */
type Model = new (resource: Manifest) => { validate(): void };

/** @throws Error saying what the schema of its kind has against it */
export async function validate(manifest: Manifest): Promise<void> {
  // By the convention of the packages: the module of a kind exports a class of that name.
  const { [manifest.kind]: KindModel } = (await import(moduleOf(manifest))) as Record<string, Model>;
  if (KindModel === undefined) throw new Error(`${moduleOf(manifest)} has no ${manifest.kind}`);
  new KindModel(manifest).validate();
}

/** Packages with the types of a group of resources; everything else is Kubernetes' own. */
const packages: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** The module that describes a kind, `kubernetes-models/apps/v1/Deployment`. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const [group = ''] = apiVersion.split('/');
  return `${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/**
 * Compiles the resources with TypeScript, each as a literal of its type, and returns its errors: fields that do not
 * exist, values that are none of those allowed. The API server would drop or refuse them; the schemas of Kubernetes let
 * unknown fields pass.
 */
export function findTypeFaults(manifests: readonly Manifest[]): readonly string[] {
  const sources = new Map(manifests.map((manifest, index) => [fileOf(index), sourceOf(manifest)]));
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const program = ts.createProgram([...sources.keys()], options, hostWith(sources, options));
  return [...sources.keys()].flatMap((file, index) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${titleOfAt(manifests, index)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}

function titleOfAt(manifests: readonly Manifest[], index: number): string {
  const manifest = manifests[index];
  return manifest === undefined ? '' : titleOf(manifest);
}

/** Path beside the tests, from where the packages are found; never written. */
function fileOf(index: number): string {
  return join(REPOSITORY, 'tools/release-checks/test', `manifest-${index}.mts`);
}

function sourceOf(manifest: Manifest): string {
  const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
  return `export const resource: ${type} = ${JSON.stringify(manifest, null, 2)};\n`;
}

function hostWith(sources: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (file) => sources.has(file) || host.fileExists(file),
    readFile: (file) => sources.get(file) ?? host.readFile(file),
    getSourceFile: (file, languageVersion) => {
      const text = sources.get(file);
      return text === undefined
        ? host.getSourceFile(file, languageVersion)
        : ts.createSourceFile(file, text, languageVersion);
    },
  };
}
