import { displayName, type DomainHistoryEntry } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { pluralize } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import { readDomain } from './watch-domain.js';

/** What happened to a domain, who caused it and why, the oldest event first. */
export const showHistory: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const projectId = await findProjectId();
  const domain = await readDomain(api, { projectId, domain: name });
  const entries: readonly DomainHistoryEntry[] = await api.allPages((query) =>
    api.http.GET('/v1/projects/{projectId}/domains/{domain}/events', {
      // By id: the name may get another domain meanwhile.
      params: { path: { projectId, domain: domain.id }, query },
    }),
  );
  const rows = entries.map(({ at, type, from, to, actor, detail }) => [
    at,
    type,
    from === null || from === to ? to : `${from} → ${to}`,
    actor.display ?? actor.kind,
    detail,
  ]);
  return report('done', 'listed', `${displayName(domain)}: ${pluralize(entries.length, 'event')}.`, {
    result: entries,
    text: table(['TIME', 'EVENT', 'STATE', 'BY', 'DETAIL'], rows, terminal.width),
  });
};
