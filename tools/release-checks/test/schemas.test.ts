import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { missingHelm, releases, renderRelease } from './chart/chart.js';
import { parseManifests, titleOf, type Manifest } from './chart/manifest.js';
import { findTypeFaults, validate } from './chart/schemas.js';

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
