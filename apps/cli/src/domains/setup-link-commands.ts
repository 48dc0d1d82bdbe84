import { randomUUID } from 'node:crypto';
import type { CreatedSetupLink, SetupLink } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { parseCount, parsePathSegment } from '../program/arguments.js';
import { pluralize, printable, shellWord } from '../terminal/format.js';
import { table } from '../terminal/table.js';

const PATH = '/v1/projects/{projectId}/domains/{domain}/setup-links';
const DAY_SECONDS = 24 * 60 * 60;
const DEFAULT_DAYS = 7;

interface LinkOptions {
  readonly days: number;
  readonly returnUrl?: string;
}

/** Prints only the link to standard output. The API does not return it again. */
const createLink: Command<[name: string, options: LinkOptions]> = async (
  { api, findProjectId },
  name,
  { days, returnUrl },
) => {
  const path = { projectId: await findProjectId(), domain: name };
  const params = { path, header: { 'Idempotency-Key': randomUUID() } };
  const body = { expiresIn: days * DAY_SECONDS, ...(returnUrl !== undefined && { returnUrl }) };
  const created: CreatedSetupLink = await api.data(api.http.POST(PATH, { params, body }));
  const end = `pets domains setup-link end ${shellWord(name)} ${created.id}`;
  const message = `Send this link to whoever has access to the DNS of ${name}. It ends after ${pluralize(days, 'day')}.`;
  return report('done', 'created', message, {
    result: created,
    next: [{ command: end, when: 'if the link went to the wrong person' }],
    text: created.url,
  });
};

const listLinks: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const path = { projectId: await findProjectId(), domain: name };
  const links: readonly SetupLink[] = await api.data(api.http.GET(PATH, { params: { path } }));
  const rows = links.map(({ id, createdAt, expiresAt, returnUrl }) => [
    id,
    terminal.time(createdAt),
    terminal.time(expiresAt),
    returnUrl === null ? '' : printable(returnUrl),
  ]);
  const text = table(['ID', 'CREATED', 'ENDS', 'LEADS BACK TO'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(links.length, 'set-up link')}.`, { result: links, text });
};

const endLink: Command<[name: string, id: string]> = async ({ api, findProjectId }, name, setupLinkId) => {
  const path = { projectId: await findProjectId(), domain: name, setupLinkId };
  await api.result(api.http.DELETE(`${PATH}/{setupLinkId}`, { params: { path } }));
  return report('done', 'ended', `Ended ${setupLinkId}. Its page no longer works.`);
};

/** `pets domains setup-link …` */
export function addSetupLinkCommands(domains: Program, runner: Runner, nameHelp: string): void {
  const link = domains.command('setup-link').description('let the owner of a domain set it up, without an account');
  link
    .command('create')
    .description('create a link to a page with the records, which checks them')
    .argument('<name>', nameHelp, parsePathSegment)
    .option('--days <number>', 'days until the link ends, at most 30', parseCount, DEFAULT_DAYS)
    .option('--return-url <url>', 'page of yours that the link leads back to; its origin has to be listed')
    .action((name: string, options: LinkOptions, command: Program) =>
      runner(createLink)([name, options], command.optsWithGlobals()),
    );
  link
    .command('list')
    .description('list the links of a domain that have not ended')
    .argument('<name>', nameHelp, parsePathSegment)
    .action((name: string, _options: object, command: Program) => runner(listLinks)([name], command.optsWithGlobals()));
  link
    .command('end')
    .description('end a link, and the pages where it is open')
    .argument('<name>', nameHelp, parsePathSegment)
    .argument('<id>', 'ID of the link', parsePathSegment)
    .action((name: string, id: string, _options: object, command: Program) =>
      runner(endLink)([name, id], command.optsWithGlobals()),
    );
}
