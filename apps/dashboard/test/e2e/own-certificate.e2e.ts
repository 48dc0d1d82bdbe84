import { describe, expect, it } from '@jest/globals';
import { createTestCa } from '@pets/testing';
import { addDomain, openDomains, withPage } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

const SITE = 'own-upload.example.com';

export function describeOwnCertificates(fixture: () => DashboardFixture): void {
  describe('a certificate of the owner', () => {
    it('is pasted or chosen, refused at its field, shown, and deleted', () =>
      withPage(fixture(), async (page) => {
        const { pets, dev } = fixture();
        const ca = await (await createTestCa()).issueCa('Test Issuing CA');
        const [leaf, other] = [await ca.issue({ names: [SITE] }), await ca.issue({ names: [SITE] })];
        await openDomains(page, fixture());
        await addDomain(page, SITE);

        await page.getByText('Own certificate', { exact: true }).click();
        await page.getByRole('button', { name: 'Upload certificate' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Certificate chain (PEM)').fill(leaf.chainPem);
        await dialog.getByLabel('Private key (PEM)').fill(other.keyPem);
        await dialog.getByLabel('My visitors trust the root').check();
        await dialog.getByRole('button', { name: 'Upload certificate' }).click();
        await dialog.getByText('is not the key of the certificate.').waitFor();
        const file = { name: 'key.pem', mimeType: 'text/plain', buffer: Buffer.from(leaf.keyPem) };
        await dialog.locator('input[type="file"][aria-label="Choose the file of the key"]').setInputFiles(file);
        await dialog.getByRole('button', { name: 'Upload certificate' }).click();

        await page.getByRole('status').getByText('Certificate uploaded.').waitFor();
        await page.getByText(leaf.sha256).waitFor();
        await page.getByText('Visitors get this certificate.').waitFor();
        expect(await page.content()).not.toContain('PRIVATE KEY');

        await page.getByRole('button', { name: 'Use the automatic certificate' }).click();
        await page.getByRole('button', { name: 'Use this certificate' }).waitFor();
        await page.getByRole('button', { name: 'Delete this certificate' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete this certificate' }).click();
        await page.getByText('You can upload a certificate of your own.').waitFor();
        const path = { projectId: dev.projectId, domain: SITE };
        await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
      }));
  });
}
