import { randomUUID } from 'node:crypto';
import { pause } from '@pets/async';
import type { Channel, ChannelChange, CreatedChannelLink } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import { isTransient } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { parseCount, parsePathSegment, timeoutOption } from '../program/arguments.js';
import { pluralize, presentFacts } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';

const PATH = '/v1/projects/{projectId}/channels';
const NAME = 'name of the channel, for example pr-12';

/** Interval between requests whether the edges have confirmed a removal. */
const INTERVAL_MS = 1_000;

/** `pets channels …` */
export function addChannelCommands(program: Program, runner: Runner): void {
  const channels = program
    .command('channels')
    .description('manage addresses of a project that serve a deployment of their own');
  channels
    .command('list')
    .description('list the channels of a project')
    .action((_options: object, command: Program) => runner(listChannels)([], command.optsWithGlobals()));
  channels
    .command('show')
    .description('show what a channel serves, where, and until when')
    .argument('<name>', NAME, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(showChannel)([name], command.optsWithGlobals()),
    );
  channels
    .command('set')
    .description('serve a deployment on a channel, or renew the channel for 30 days')
    .argument('<name>', NAME, parsePathSegment)
    .option('--deployment <id>', 'deployment to serve; needed for a new channel')
    .addOption(new Option('--protected', 'only visitors with a link may read it').conflicts('public'))
    .option('--public', 'everybody may read it')
    .action((name: string, options: SetOptions, command: Program) =>
      runner(setChannel)([name, options], command.optsWithGlobals()),
    );
  channels
    .command('remove')
    .description('remove a channel and wait until no edge serves it')
    .argument('<name>', NAME, parsePathSegment)
    .addOption(timeoutOption('maximum time to wait for the edges', '2m'))
    .action((name: string, options: { timeout: number }, command: Program) =>
      runner(removeChannel)([name, options], command.optsWithGlobals()),
    );
  addChannelLinkCommands(channels, runner, NAME);
}

interface SetOptions {
  readonly deployment?: string;
  readonly protected?: true;
  readonly public?: true;
}

const listChannels: Command<[]> = async ({ api, findProjectId, terminal }) => {
  const path = { projectId: await findProjectId() };
  const channels: readonly Channel[] = await api.data(api.http.GET(PATH, { params: { path } }));
  const rows = channels.map(({ name, url, access, deploymentId, domains, expiresAt }) => [
    name,
    url,
    accessTexts[access],
    deploymentId,
    expiresAt === null ? `while it has ${pluralize(domains.length, 'domain')}` : terminal.time(expiresAt),
  ]);
  const text = table(['NAME', 'URL', 'ACCESS', 'DEPLOYMENT', 'ENDS'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(channels.length, 'channel')}.`, { result: channels, text });
};

const showChannel: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const path = { projectId: await findProjectId(), channel: name };
  const channel: Channel = await api.data(api.http.GET(`${PATH}/{channel}`, { params: { path } }));
  return report('done', 'shown', `Channel ${name}.`, { result: channel, text: presentChannel(channel, terminal) });
};

const setChannel: Command<[name: string, options: SetOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { deployment, protected: isProtected, public: isPublic },
) => {
  const path = { projectId: await findProjectId(), channel: name };
  const body: ChannelChange = {
    ...(deployment !== undefined && { deploymentId: deployment }),
    ...(isProtected && { access: 'link' }),
    ...(isPublic && { access: 'public' }),
  };
  const channel: Channel = await api.data(api.http.PUT(`${PATH}/{channel}`, { params: { path }, body }));
  return report('done', 'set', `${channel.url} serves the deployment ${channel.deploymentId}.`, {
    result: channel,
    text: presentChannel(channel, terminal),
  });
};

/** Repeats the request until every edge has confirmed the removal. */
const removeChannel: Command<[name: string, options: { timeout: number }]> = async (
  { api, findProjectId, terminal },
  name,
  { timeout: timeoutMs },
) => {
  const path = { projectId: await findProjectId(), channel: name };
  const endsAt = performance.now() + timeoutMs;
  const remove = () => api.result(api.http.DELETE(`${PATH}/{channel}`, { params: { path } }));
  let pending = (await remove()).data;
  while (pending !== undefined) {
    const edges = pluralize(pending.pendingEdges, 'edge');
    if (performance.now() >= endsAt) {
      const next = [{ command: `pets channels remove ${name}`, when: 'to wait for them' }];
      const message = `Removed ${name}, but not everywhere yet: ${edges} may still serve it.`;
      return report('not_yet', 'edges_pending', message, { result: pending, next });
    }
    terminal.progress(`removed; edges pending: ${pending.pendingEdges}`);
    await pause(Math.min(INTERVAL_MS, Math.max(endsAt - performance.now(), 0)));
    try {
      pending = (await remove()).data;
    } catch (error) {
      if (!isTransient(error)) throw error;
      terminal.progress(error.message);
    }
  }
  return removed(name);
};

function removed(name: string): Report {
  return report('done', 'removed', `Removed ${name}. It no longer serves any traffic.`, { result: { name } });
}

const accessTexts = { public: 'public', link: 'protected' } as const satisfies Record<Channel['access'], string>;

function presentChannel(
  { name, url, access, deploymentId, domains, expiresAt }: Channel,
  { time, width }: Style,
): string {
  return presentFacts(
    [
      ['channel', name],
      ['URL', url],
      ['access', accessTexts[access]],
      ['deployment', deploymentId],
      ['domains', domains.length === 0 ? null : domains.join(', ')],
      ['ends', expiresAt === null ? 'not while a domain serves it' : time(expiresAt)],
    ],
    width,
  );
}

const LINKS_PATH = '/v1/projects/{projectId}/channels/{channel}/links';
const DAY_SECONDS = 24 * 60 * 60;
const DEFAULT_DAYS = 7;

/** `pets channels link` and `pets channels end-links` */
function addChannelLinkCommands(channels: Program, runner: Runner, nameHelp: string): void {
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
  const created: CreatedChannelLink = await api.data(api.http.POST(LINKS_PATH, { params, body }));
  const message = `Everybody who has this link can open ${name}, for ${pluralize(days, 'day')}.`;
  const next = [{ command: `pets channels end-links ${name}`, when: 'if the link went to the wrong person' }];
  return report('done', 'created', message, { result: created, next, text: created.url });
};

const endLinks: Command<[name: string]> = async ({ api, findProjectId }, name) => {
  const path = { projectId: await findProjectId(), channel: name };
  const pending = (await api.result(api.http.DELETE(LINKS_PATH, { params: { path } }))).data;
  if (pending === undefined) return report('done', 'ended', `Ended all links of ${name}.`);
  const edges = pluralize(pending.pendingEdges, 'edge');
  const message = `Ended all links of ${name}, but not everywhere yet: ${edges} may still accept them.`;
  const next = [{ command: `pets channels end-links ${name}`, when: 'to end them again and wait' }];
  return report('not_yet', 'edges_pending', message, { result: pending, next });
};
