import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import ts from 'typescript';
import { REPOSITORY } from '../src/repository.js';
import { missingHelm, parseManifests, releases, renderRelease, titleOf, type Manifest } from './chart/chart.js';

/** Class that a module of the models exports for its kind. */
type Model = new (resource: Manifest) => { validate(): void };

/** @throws Error saying what the schema of its kind has against it */
async function validate(manifest: Manifest): Promise<void> {
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
function findTypeFaults(manifests: readonly Manifest[]): readonly string[] {
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

/** No package of ours has its types: helm-options.test.ts checks it. */
const isTyped = ({ kind }: Manifest) => kind !== 'HTTPRoute';

describeWhen(describe, 'the objects of the Helm chart', missingHelm, () => {
  describe.each(releases)('for %s', (release) => {
    const manifests = renderRelease(release);
    const typed = manifests.filter(isTyped);

    it('are made once each', () => {
      const titles = manifests.map(titleOf);
      expect(titles).toEqual([...new Set(titles)]);
    });

    it.each(typed.map((manifest) => [titleOf(manifest), manifest] as const))(
      '%s keeps the schema of its kind',
      async (_title, manifest) => {
        await expect(validate(manifest)).resolves.toBeUndefined();
      },
    );

    it('have no field that their kind does not know', () => {
      expect(findTypeFaults(typed)).toEqual([]);
    });
  });
});

describe('what the checks would find', () => {
  const [budget] = parseManifests(`
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: wrong }
spec: { maxUnavailable: 1, selectors: {} }
`);

  it('is a field that is misspelt', () => {
    expect(budget && findTypeFaults([budget])).toEqual([expect.stringMatching(/selectors.* does not exist in type/)]);
  });

  it('is a value of another type', async () => {
    const manifest = { ...budget, spec: { maxUnavailable: true } } as Manifest;
    await expect(validate(manifest)).rejects.toThrow('maxUnavailable');
  });
});
