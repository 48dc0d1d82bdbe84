import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { displayName, type Domain } from '@pets/contracts';
import type { Command } from '../command.js';
import { report, usageFailure, type Report } from '../outcome/outcome.js';
import { counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';
import type { Terminal } from '../terminal/terminal.js';
import { nextCommands } from './next-commands.js';
import { watchDomain } from './watch-domain.js';

/** `pets domains remove`: done means that no edge serves the name any more, and nothing else does. */
export const removeDomain: Command<[name: string, options: { yes?: boolean; timeout: number }]> = async (
  { api, projectId, terminal },
  name,
  { yes = false, timeout: timeoutMs },
) => {
  if (!yes && !(await confirm(terminal, name)))
    return report('refused', 'not_confirmed', `${name} was not removed: not confirmed.`);
  const path = { projectId, domain: name };
  const { data } = await api.answer(api.http.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } }));
  if (data === undefined) return stopped(name, null);

  let [seen, told]: [Domain, number] = [data, -1];
  const watch = { timeoutMs, onTrouble: (detail: string) => terminal.progress(detail) };
  // By its id: the name is free again, and may be somebody's anew.
  for await (const domain of watchDomain(api, { projectId, domain: data.id }, watch)) {
    seen = domain;
    if (domain.pendingEdges === 0) return stopped(displayName(domain), domain);
    if (domain.pendingEdges !== told) terminal.progress(`removed; edges pending: ${domain.pendingEdges}`);
    told = domain.pendingEdges;
  }
  const message =
    `Removed ${displayName(seen)}, but not everywhere yet: ${counted(seen.pendingEdges, 'edge')} may still serve it until ` +
    'the removal is confirmed.';
  return report('not_yet', 'edges_pending', message, { result: seen, next: nextCommands(seen, 'live') });
};

function stopped(name: string, result: Domain | null): Report {
  return report('done', 'removed', `Removed ${name}. It no longer serves any traffic.`, { result });
}

/** @throws CommandFailure `usage` where there is nobody to ask */
async function confirm({ streams: { stdin, stderr } }: Terminal, name: string): Promise<boolean> {
  if (!stdin.isTTY) throw usageFailure('confirmation_missing', 'Not a terminal: pass --yes to confirm.');
  const lines = createInterface({ input: stdin, output: stderr });
  // A line that is being edited swallows Ctrl-C, and one that is ended by Ctrl-D is never answered.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = once(lines, 'close').then(() => '');
  try {
    const asked = lines.question(`Remove ${printable(name)}? Its traffic stops immediately. [y/N] `).catch(() => '');
    return /^y(es)?$/i.test((await Promise.race([asked, closed])).trim());
  } finally {
    lines.close();
  }
}
