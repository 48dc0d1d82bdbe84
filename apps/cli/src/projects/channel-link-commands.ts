import { randomUUID } from 'node:crypto';
import type { CreatedChannelLink } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { parseCount, parsePathSegment } from '../program/arguments.js';
import { pluralize } from '../terminal/format.js';

const PATH = '/v1/projects/{projectId}/channels/{channel}/links';
const DAY_SECONDS = 24 * 60 * 60;
const DEFAULT_DAYS = 7;

/** `pets channels link` and `pets channels end-links` */
export function addChannelLinkCommands(channels: Program, runner: Runner, nameHelp: string): void {
  channels
    .command('link')
    .description('create a link that opens a protected channel in a browser')
    .argument('<name>', nameHelp, parsePathSegment)
    .option('--days <number>', 'days until the link ends, at most 30', parseCount, DEFAULT_DAYS)
    .action((name: string, options: { days: number }, command: Program) =>
      runner(createLink)([name, options], command.optsWithGlobals()),
    );
  channels
    .command('end-links')
    .description('end all links of a protected channel')
    .argument('<name>', nameHelp, parsePathSegment)
    .action((name: string, _options: object, command: Program) => runner(endLinks)([name], command.optsWithGlobals()));
}

/** Prints only the link to standard output. The API does not return it again. */
const createLink: Command<[name: string, options: { days: number }]> = async (
  { api, findProjectId },
  name,
  { days },
) => {
  const path = { projectId: await findProjectId(), channel: name };
  const params = { path, header: { 'Idempotency-Key': randomUUID() } };
  const body = { expiresIn: days * DAY_SECONDS };
  const created: CreatedChannelLink = await api.data(api.http.POST(PATH, { params, body }));
  const message = `Everybody who has this link can open ${name}, for ${pluralize(days, 'day')}.`;
  const next = [{ command: `pets channels end-links ${name}`, when: 'if the link went to the wrong person' }];
  return report('done', 'created', message, { result: created, next, text: created.url });
};

const endLinks: Command<[name: string]> = async ({ api, findProjectId }, name) => {
  const path = { projectId: await findProjectId(), channel: name };
  const pending = (await api.result(api.http.DELETE(PATH, { params: { path } }))).data;
  if (pending === undefined) return report('done', 'ended', `Ended all links of ${name}.`);
  const edges = pluralize(pending.pendingEdges, 'edge');
  const message = `Ended all links of ${name}, but not everywhere yet: ${edges} may still accept them.`;
  const next = [{ command: `pets channels end-links ${name}`, when: 'to end them again and wait' }];
  return report('not_yet', 'edges_pending', message, { result: pending, next });
};
