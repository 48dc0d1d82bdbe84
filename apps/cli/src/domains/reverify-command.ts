import { randomUUID } from 'node:crypto';
import { displayName, type Domain } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { shellWord } from '../terminal/shell-word.js';

/** Makes the next attempt to get a certificate start now. The API refuses it while one is planned soon. */
export const reverifyDomain: Command<[name: string]> = async ({ api, findProjectId }, name) => {
  const params = {
    path: { projectId: await findProjectId(), domain: name },
    header: { 'Idempotency-Key': randomUUID() },
  };
  const domain: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/reverify', { params }),
  );
  return report('done', 'scheduled', `The next attempt to get a certificate for ${displayName(domain)} starts now.`, {
    result: domain,
    issues: domain.issues,
    next: [{ command: `pets domains wait ${shellWord(domain.name)}`, when: 'to wait until it is live' }],
  });
};
