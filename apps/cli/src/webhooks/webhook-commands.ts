import { randomUUID } from 'node:crypto';
import {
  webhookEventTypes,
  type CreatedWebhookEndpoint,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEndpointChange,
  type WebhookEventType,
} from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Command, CommandContext, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { parseDuration, parsePathSegment } from '../program/arguments.js';
import { confirm } from '../terminal/prompt.js';
import { pluralize, presentFacts, type Facts } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import { addDeliveryCommands } from './delivery-commands.js';
import { addListenCommand } from './listen-command.js';

interface EndpointOptions {
  readonly event?: readonly WebhookEventType[];
  readonly description?: string;
}

type NewEndpointOptions = EndpointOptions & { readonly onlyProject?: true };
type ChangeOptions = EndpointOptions & { readonly url?: string; readonly enable?: true; readonly disable?: true };
type RollOptions = { readonly overlap: number };
type RemovalOptions = { readonly yes?: true };

const PATH = '/v1/webhook-endpoints/{endpointId}';
const ID = 'endpoint ID, from pets webhooks list';

/** `pets webhooks …` */
export function addWebhookCommands(program: Program, runner: Runner): void {
  const webhooks = program.command('webhooks').description('send events to your own servers');
  webhooks
    .command('list')
    .description('list the endpoints of the organization')
    .action((_options: object, command: Program) => runner(listEndpoints)([], command.optsWithGlobals()));
  webhooks
    .command('create')
    .description('create an endpoint; its secret is shown only once')
    .argument('<url>', 'https URL that receives the events')
    .addOption(eventOption('events to send (default: all)'))
    .option('--description <text>', 'label of the endpoint')
    .option('--only-project', 'only events about domains and origins of the project')
    .action((url: string, options: NewEndpointOptions, command: Program) =>
      runner(createEndpoint)([url, options], command.optsWithGlobals()),
    );
  webhooks
    .command('show')
    .description('show an endpoint')
    .argument('<id>', ID, parsePathSegment)
    .action((id: string, _options: object, command: Program) => runner(showEndpoint)([id], command.optsWithGlobals()));
  webhooks
    .command('update')
    .description('change an endpoint')
    .argument('<id>', ID, parsePathSegment)
    .option('--url <url>', 'https URL that receives the events')
    .addOption(eventOption('events to send, instead of the previous ones'))
    .option('--description <text>', 'label of the endpoint; empty: none')
    .addOption(new Option('--enable', 'send events again').conflicts('disable'))
    .addOption(new Option('--disable', 'send no more events'))
    .action((id: string, options: ChangeOptions, command: Program) =>
      runner(updateEndpoint)([id, options], command.optsWithGlobals()),
    );
  webhooks
    .command('test')
    .description('send an event of the type endpoint.test')
    .argument('<id>', ID, parsePathSegment)
    .action((id: string, _options: object, command: Program) => runner(testEndpoint)([id], command.optsWithGlobals()));
  webhooks
    .command('roll')
    .description('replace the secret of an endpoint; for some time requests are signed with both')
    .argument('<id>', ID, parsePathSegment)
    .addOption(
      new Option('--overlap <duration>', 'for how long the previous secret signs as well')
        .argParser(parseDuration)
        .default(parseDuration('24h'), '24h'),
    )
    .action((id: string, options: RollOptions, command: Program) =>
      runner(rollSecret)([id, options], command.optsWithGlobals()),
    );
  webhooks
    .command('remove')
    .description('delete an endpoint and its deliveries')
    .argument('<id>', ID, parsePathSegment)
    .option('--yes', 'skip the confirmation')
    .action((id: string, options: RemovalOptions, command: Program) =>
      runner(removeEndpoint)([id, options], command.optsWithGlobals()),
    );
  addDeliveryCommands(webhooks, runner);
  addListenCommand(webhooks, runner);
}

/** `--event`, which may be repeated. */
function eventOption(description: string): Option {
  return new Option('--event <type...>', description).choices(webhookEventTypes);
}

const listEndpoints: Command<[]> = async ({ api, terminal }) => {
  const endpoints: readonly WebhookEndpoint[] = await api.allPages((query) =>
    api.http.GET('/v1/webhook-endpoints', { params: { query } }),
  );
  const rows = endpoints.map((endpoint) => [endpoint.id, endpoint.url, stateOf(endpoint), eventsOf(endpoint)]);
  return report('done', 'listed', `${pluralize(endpoints.length, 'endpoint')}.`, {
    result: endpoints,
    text: table(['ID', 'URL', 'STATE', 'EVENTS'], rows, terminal.width),
  });
};

/** Prints only the secret to standard output. The API does not return it again. */
const createEndpoint: Command<[url: string, options: NewEndpointOptions]> = async (
  { api, findProjectId },
  url,
  { event = webhookEventTypes, description = null, onlyProject = false },
) => {
  const projectId = onlyProject ? await findProjectId() : null;
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { url, description, eventTypes: [...event], projectId };
  const created: CreatedWebhookEndpoint = await api.data(api.http.POST('/v1/webhook-endpoints', { params, body }));
  return report('done', 'created', `Created endpoint ${created.id}. Its secret is shown only once.`, {
    result: created,
    next: [{ command: `pets webhooks test ${created.id}`, when: 'to send it an event' }],
    text: created.secret,
  });
};

const showEndpoint: Command<[id: string]> = async (context, endpointId) => {
  const { api } = context;
  const endpoint: WebhookEndpoint = await api.data(api.http.GET(PATH, { params: { path: { endpointId } } }));
  return report('done', stateOf(endpoint).replace(/\W+/g, '_'), `Endpoint ${endpoint.id}.`, {
    result: endpoint,
    next: [{ command: `pets webhooks deliveries ${endpoint.id}`, when: 'to see what was sent' }],
    text: presentEndpoint(endpoint, context),
  });
};

const updateEndpoint: Command<[id: string, options: ChangeOptions]> = async (
  context,
  endpointId,
  { url, event, description, enable, disable },
) => {
  const { api } = context;
  const change: WebhookEndpointChange = {
    ...(url !== undefined && { url }),
    ...(event !== undefined && { eventTypes: [...event] }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...((enable ?? disable) !== undefined && { enabled: enable === true }),
  };
  const params = { path: { endpointId } };
  const endpoint: WebhookEndpoint = await api.data(api.http.PATCH(PATH, { params, body: change }));
  return report('done', 'changed', `Changed endpoint ${endpoint.id}.`, {
    result: endpoint,
    text: presentEndpoint(endpoint, context),
  });
};

const testEndpoint: Command<[id: string]> = async ({ api }, endpointId) => {
  const params = { path: { endpointId }, header: { 'Idempotency-Key': randomUUID() } };
  const delivery: WebhookDelivery = await api.data(
    api.http.POST('/v1/webhook-endpoints/{endpointId}/test', { params }),
  );
  return report('done', 'scheduled', `Delivery ${delivery.id} is being sent.`, {
    result: delivery,
    next: [{ command: `pets webhooks delivery ${endpointId} ${delivery.id}`, when: 'to see the answer' }],
    text: delivery.id,
  });
};

/** Prints only the secret to standard output, as `create` does. */
const rollSecret: Command<[id: string, options: RollOptions]> = async ({ api }, endpointId, { overlap }) => {
  const query = { overlapSeconds: Math.round(overlap / 1_000) };
  const params = { path: { endpointId }, query, header: { 'Idempotency-Key': randomUUID() } };
  const rolled: CreatedWebhookEndpoint = await api.data(
    api.http.POST('/v1/webhook-endpoints/{endpointId}/rotate-secret', { params }),
  );
  const until = rolled.previousSecretUntil;
  const both = until === null ? '' : ` Until ${until}, requests are also signed with the previous one.`;
  return report('done', 'rolled', `The new secret is shown only once.${both}`, {
    result: rolled,
    text: rolled.secret,
  });
};

const removeEndpoint: Command<[id: string, options: RemovalOptions]> = async (
  { api, terminal },
  endpointId,
  { yes = false },
) => {
  if (!yes && !(await confirm(terminal, `Remove ${endpointId}? Its pending deliveries are not sent.`)))
    return report('refused', 'not_confirmed', `${endpointId} was not removed: not confirmed.`);
  await api.result(api.http.DELETE(PATH, { params: { path: { endpointId } } }));
  return report('done', 'removed', `Removed endpoint ${endpointId}.`, { result: { id: endpointId } });
};

function stateOf({ enabled, disabledReason, failingSince, pausedAt }: WebhookEndpoint): string {
  if (!enabled) return `disabled: ${disabledReason ?? 'owner'}`;
  if (pausedAt !== null) return 'paused: the organization has used its storage';
  return failingSince === null ? 'enabled' : 'enabled, failing';
}

function eventsOf({ eventTypes }: WebhookEndpoint): string {
  return eventTypes.length === webhookEventTypes.length ? 'all' : eventTypes.join(' ');
}

function presentEndpoint(endpoint: WebhookEndpoint, { showsIds, terminal: { time, width } }: CommandContext): string {
  const { id, url, description, projectId, failingSince, previousSecretUntil, createdAt } = endpoint;
  const facts: Facts = [
    ['endpoint', id],
    ['URL', url],
    ['description', description],
    ['state', stateOf(endpoint)],
    ['failing since', failingSince && time(failingSince)],
    ['events', eventsOf(endpoint)],
    ['project', projectId === null ? 'all' : showsIds ? projectId : 'one'],
    ['both secrets to', previousSecretUntil && time(previousSecretUntil)],
    ['created', time(createdAt)],
  ];
  return presentFacts(facts, width);
}
