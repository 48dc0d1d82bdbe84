import { describe, expect, it } from '@jest/globals';
import { findTypeFaults, moduleOf } from '../src/manifests/unknown-fields.js';
import { parseManifests, readManifests, titleOf, type Manifest } from '../src/manifests/manifest.js';
import { overlays } from '../src/manifests/render.js';

/** What a module of the models exports for its kind. */
type Model = new (resource: Manifest) => { validate(): void };

/** @throws Error saying what the schema of its kind has against it */
async function validate(manifest: Manifest): Promise<void> {
  // By the convention of the packages: the module of a kind exports a class of that name.
  const { [manifest.kind]: KindModel } = (await import(moduleOf(manifest))) as Record<string, Model>;
  if (KindModel === undefined) throw new Error(`${moduleOf(manifest)} has no ${manifest.kind}`);
  new KindModel(manifest).validate();
}

describe.each(overlays)('the manifests of %s', (overlay) => {
  const manifests = readManifests(overlay);

  it.each(manifests.map((manifest) => [titleOf(manifest), manifest] as const))(
    '%s keeps the schema of its kind',
    async (_title, manifest) => {
      await expect(validate(manifest)).resolves.toBeUndefined();
    },
  );

  it('have no field that their kind does not know', () => {
    expect(findTypeFaults(manifests)).toEqual([]);
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
