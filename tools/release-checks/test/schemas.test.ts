import { describe, expect, it } from '@jest/globals';
import { findTypeFaults, validate } from '../src/manifests/schemas.js';
import { overlays, parseManifests, readManifests, titleOf, type Manifest } from '../src/manifests/manifest.js';

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
