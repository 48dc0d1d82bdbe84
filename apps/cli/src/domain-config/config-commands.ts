import type { components } from '@pets/client';
import { MAX_HOPS, redirectStatuses, type DomainConfig, type Explanation, type Hop } from '@pets/contracts';
import { parseDomainName } from '@pets/domains';
import { Option, type Command as Program } from 'commander';
import { ApiFailure, type Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { CommandFailure, report, usageFailure, type OutcomeStatus } from '../outcome/outcome.js';
import { indentedWidth, paragraphs, pluralize, presentFacts, titled, type Facts } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';

type Redirect = DomainConfig['domains']['redirects'][number];

interface ConfigOptions {
  /** False: none. */
  readonly primary?: string | false;
  readonly platformRedirect?: boolean;
}

interface RedirectOptions {
  readonly status: string;
}

/** `pets domains config …` */
export function addConfigCommands(domains: Program, runner: Runner): void {
  const config = domains.command('config').description('show or change the primary domain of a project');
  config
    .command('show')
    .description('show the primary domain and the redirects')
    .action((_options: object, command: Program) => runner(showConfig)([], command.optsWithGlobals()));
  config
    .command('set')
    .description('change the primary domain, and whether the platform host redirects to it')
    .option('--primary <name>', 'main domain of the project')
    .option('--no-primary', 'no main domain')
    .option('--platform-redirect', 'redirect the host below the platform domain to the main domain')
    .option('--no-platform-redirect', 'serve the site at the host below the platform domain')
    .action((options: ConfigOptions, command: Program) => runner(setConfig)([options], command.optsWithGlobals()));
}

/** `pets redirects …` */
export function addRedirectCommands(program: Program, runner: Runner): void {
  const redirects = program.command('redirects').description('manage redirects between the domains of a project');
  redirects
    .command('list')
    .description('list the redirects')
    .action((_options: object, command: Program) => runner(listRedirects)([], command.optsWithGlobals()));
  redirects
    .command('add')
    .description('redirect a domain to another one, keeping path and query; replaces the redirect of the domain')
    .argument('<from>', 'domain of the project')
    .argument('<to>', 'domain of the project, or its host below the platform domain')
    .addOption(
      new Option('--status <status>', 'HTTP status')
        .choices(redirectStatuses.map(String))
        .default(String(redirectStatuses[0])),
    )
    .action((from: string, to: string, options: RedirectOptions, command: Program) =>
      runner(addRedirect)([from, to, options], command.optsWithGlobals()),
    );
  redirects
    .command('remove')
    .description('serve the site at a domain again')
    .argument('<from>', 'domain that redirects')
    .action((from: string, _options: object, command: Program) =>
      runner(removeRedirect)([from], command.optsWithGlobals()),
    );
  redirects
    .command('test')
    .description('show what a browser gets at a URL, redirect by redirect, and which rule or file decides it')
    .argument('<url>', 'URL of a host of the project')
    .action((url: string, _options: object, command: Program) =>
      runner(testRedirects)([url], command.optsWithGlobals()),
    );
}

const showConfig: Command<[]> = async ({ api, findProjectId, terminal }) => {
  const config = await readConfig(api, await findProjectId());
  return report('done', 'shown', `${pluralize(config.domains.redirects.length, 'redirect')}.`, {
    result: config,
    text: presentConfig(config, terminal),
  });
};

const setConfig: Command<[options: ConfigOptions]> = async (
  { api, findProjectId, terminal },
  { primary, platformRedirect },
) => {
  if (primary === undefined && platformRedirect === undefined)
    throw usageFailure('nothing_to_change', 'Nothing to change: pass --primary NAME or --platform-redirect.');
  const changed = await editConfig(
    api,
    await findProjectId(),
    ({ domains: { primary: before, redirects }, ...rest }) => {
      const kept = primary === undefined ? before : primary === false ? undefined : primary;
      return {
        ...rest,
        domains: { ...(kept !== undefined && { primary: kept }), redirects },
        ...(platformRedirect !== undefined && { platformRedirect }),
      };
    },
  );
  return report('done', 'changed', 'Changed the configuration. It takes effect immediately.', {
    result: changed,
    text: presentConfig(changed, terminal),
  });
};

const listRedirects: Command<[]> = async ({ api, findProjectId, terminal }) => {
  const { redirects } = (await readConfig(api, await findProjectId())).domains;
  return report('done', 'listed', `${pluralize(redirects.length, 'redirect')}.`, {
    result: redirects,
    text: presentRedirects(redirects, terminal.width),
  });
};

const addRedirect: Command<[from: string, to: string, options: RedirectOptions]> = async (
  { api, findProjectId },
  from,
  to,
  options,
) => {
  const status = redirectStatuses.find((each) => String(each) === options.status) ?? redirectStatuses[0];
  const redirect = { from: normalized(from), to: normalized(to), status };
  const changed = await editConfig(api, await findProjectId(), (config) =>
    withRedirects(config, (redirects) => [...redirects.filter((each) => each.from !== redirect.from), redirect]),
  );
  return report('done', 'added', `${redirect.from} redirects to ${redirect.to} (${status}).`, { result: changed });
};

const removeRedirect: Command<[from: string]> = async ({ api, findProjectId }, typed) => {
  const from = normalized(typed);
  const changed = await editConfig(api, await findProjectId(), (config) => {
    if (!config.domains.redirects.some((each) => each.from === from))
      throw new CommandFailure(report('refused', 'not_found', `${from} does not redirect.`));
    return withRedirects(config, (redirects) => redirects.filter((each) => each.from !== from));
  });
  return report('done', 'removed', `${from} no longer redirects.`, { result: changed });
};

function withRedirects(config: DomainConfig, change: (redirects: Redirect[]) => Redirect[]): DomainConfig {
  return { ...config, domains: { ...config.domains, redirects: change(config.domains.redirects) } };
}

/** The form in which the API stores names. A name that is none is left to the API, which says why. */
function normalized(typed: string): string {
  const parsed = parseDomainName(typed, { platformDomain: '', allowSpecialUseNames: true });
  return parsed.ok ? parsed.name : typed;
}

function presentConfig({ domains, platformRedirect = false }: DomainConfig, { width }: Terminal): string {
  const facts: Facts = [
    ['primary', domains.primary ?? 'none'],
    ['platform host', platformRedirect ? 'redirects to the primary domain' : 'serves the site'],
  ];
  return paragraphs([
    presentFacts(facts, width),
    titled('Redirects', presentRedirects(domains.redirects, indentedWidth(width))),
  ]);
}

function presentRedirects(redirects: readonly Redirect[], width: number | null): string {
  const rows = redirects.map(({ from, to, status }) => [from, to, String(status)]);
  return table(['FROM', 'TO', 'STATUS'], rows, width);
}

const PATH = '/v1/projects/{projectId}/domain-config';

/** Somebody else has to change it each time for these to be used up. */
const MAX_ATTEMPTS = 3;

type WireConfig = components['schemas']['DomainConfig'];

interface ReadConfig {
  readonly config: DomainConfig;
  readonly etag: string;
}

async function readConfig(api: Api, projectId: string): Promise<DomainConfig> {
  return (await read(api, projectId)).config;
}

/**
 * Changes the configuration, which is one document. A change by somebody else meanwhile is kept: the change is made again to
 * what it led to.
 * @throws CommandFailure
 */
async function editConfig(
  api: Api,
  projectId: string,
  change: (config: DomainConfig) => DomainConfig,
): Promise<DomainConfig> {
  for (let attempt = 1; ; attempt += 1) {
    const { config, etag } = await read(api, projectId);
    const params = { path: { projectId }, header: { 'If-Match': etag } };
    try {
      return withDefaults(await api.data(api.http.PUT(PATH, { params, body: change(config) })));
    } catch (error) {
      const isOutrun = error instanceof ApiFailure && error.code === 'precondition_failed';
      if (!isOutrun || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function read(api: Api, projectId: string): Promise<ReadConfig> {
  const { data, response } = await api.result<WireConfig>(api.http.GET(PATH, { params: { path: { projectId } } }));
  return { config: withDefaults(data ?? { domains: {} }), etag: response.headers.get('etag') ?? '*' };
}

function withDefaults({ domains: { redirects = [], ...domains }, ...rest }: WireConfig): DomainConfig {
  return { ...rest, domains: { ...domains, redirects } };
}

/** `pets redirects test`: what a browser gets at a URL, and why. */
const testRedirects: Command<[url: string]> = async ({ api, findProjectId }, url) => {
  const params = { path: { projectId: await findProjectId() }, query: { url } };
  const explanation: Explanation = await api.data(api.http.GET('/v1/projects/{projectId}/explain', { params }));
  const { status, reason, message } = summarize(explanation);
  return report(status, reason, message, { result: explanation, text: paragraphs(explanation.hops.map(presentHop)) });
};

function summarize({ hops, end }: Explanation): {
  readonly status: OutcomeStatus;
  readonly reason: string;
  readonly message: string;
} {
  const last = hops.at(-1);
  const redirects = hops.filter(({ location }) => location !== null).length;
  const after = redirects === 0 ? '' : ` after ${pluralize(redirects, 'redirect')}`;
  switch (end) {
    case 'other_host':
      return { status: 'done', reason: end, message: `It leads to ${last?.location ?? 'another host'}${after}.` };
    case 'loop':
      return {
        status: 'refused',
        reason: end,
        message: `It redirects in a loop, back to ${last?.location ?? 'itself'}.`,
      };
    case 'too_many_redirects':
      return { status: 'refused', reason: end, message: `There is no page after ${MAX_HOPS} redirects.` };
    case 'answer': {
      if (last?.reason === 'application')
        return { status: 'done', reason: last.reason, message: `The application of the project answers${after}.` };
      const shown = last?.file ?? 'a page of the platform';
      const message = `It shows ${shown}, with status ${last?.status ?? 0}${after}.`;
      return { status: last?.status === 200 ? 'done' : 'refused', reason: last?.reason ?? 'file', message };
    }
  }
}

function presentHop({ url, status, reason, rule, file, location, needsLink }: Hop): string {
  const line = rule === null ? '' : `${rule.from} ${rule.to} ${rule.status}`;
  const reasons = {
    https: 'plain HTTP redirects to HTTPS',
    domain_redirect: 'a redirect between domains: pets redirects list',
    address: 'the page has this address',
    rule: rule?.line === 0 ? '200.html, where nothing else applies' : `_redirects, line ${rule?.line ?? 0}: ${line}`,
    file: 'a file at this address',
    not_found_page: 'nothing is at this address',
    not_found: 'nothing is at this address, and the deployment has no 404.html',
    not_published: 'the project has no deployment',
    certificate_pending: 'the domain has no certificate yet',
    suspended: 'the site is suspended',
    malformed: 'the address is not valid',
    application: 'the application of the project answers: pets origin show',
  } as const satisfies Record<Hop['reason'], string>;
  const shown = location ?? file;
  const lines = [
    reasons[reason],
    ...(shown === null ? [] : [`→ ${shown}`]),
    ...(needsLink ? ['only with a link of the channel; 401 without: pets channels link'] : []),
  ];
  return titled(status === null ? url : `${status} ${url}`, lines.join('\n'));
}
