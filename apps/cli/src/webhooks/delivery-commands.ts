import { randomUUID } from 'node:crypto';
import { nextCursor } from '@pets/client';
import { webhookDeliveryStates, type WebhookDelivery, type WebhookDeliveryWithBody } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { parseCount, parsePathSegment } from '../program/arguments.js';
import {
  indentedWidth,
  paragraphs,
  pluralize,
  presentFacts,
  printable,
  titled,
  type Facts,
} from '../terminal/format.js';
import { table } from '../terminal/table.js';

interface ListOptions {
  readonly limit: number;
  readonly state?: WebhookDelivery['state'];
  readonly cursor?: string;
}

const PATH = '/v1/webhook-endpoints/{endpointId}/deliveries';
const DEFAULT_LIMIT = 20;
const ENDPOINT = 'endpoint ID, from pets webhooks list';
const DELIVERY = 'delivery ID, from pets webhooks deliveries';

/** `pets webhooks deliveries`, `delivery` and `redeliver` */
export function addDeliveryCommands(webhooks: Program, runner: Runner): void {
  webhooks
    .command('deliveries')
    .description('list what was sent to an endpoint, the newest first')
    .argument('<id>', ENDPOINT, parsePathSegment)
    .option('--limit <number>', 'maximum number of results', parseCount, DEFAULT_LIMIT)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(webhookDeliveryStates))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output')
    .action((id: string, options: ListOptions, command: Program) =>
      runner(listDeliveries)([id, options], command.optsWithGlobals()),
    );
  webhooks
    .command('delivery')
    .description('show a delivery with its body and the answer to each attempt')
    .argument('<id>', ENDPOINT, parsePathSegment)
    .argument('<delivery-id>', DELIVERY, parsePathSegment)
    .action((id: string, deliveryId: string, _options: object, command: Program) =>
      runner(showDelivery)([id, deliveryId], command.optsWithGlobals()),
    );
  webhooks
    .command('redeliver')
    .description('send a delivery again')
    .argument('<id>', ENDPOINT, parsePathSegment)
    .argument('<delivery-id>', DELIVERY, parsePathSegment)
    .action((id: string, deliveryId: string, _options: object, command: Program) =>
      runner(redeliver)([id, deliveryId], command.optsWithGlobals()),
    );
}

const listDeliveries: Command<[id: string, options: ListOptions]> = async (
  { api, showsIds, terminal },
  endpointId,
  { limit, state, cursor },
) => {
  const query = { limit, ...(state !== undefined && { state }), ...(cursor !== undefined && { cursor }) };
  const { data: deliveries = [], response } = await api.result<readonly WebhookDelivery[]>(
    api.http.GET(PATH, { params: { path: { endpointId }, query } }),
  );
  const rows = deliveries.map(({ id, type, subjectId, state, attempts, createdAt }) => [
    id,
    type,
    ...(showsIds ? [subjectId] : []),
    state,
    attempts.map(answerOf).at(-1) ?? '',
    terminal.time(createdAt),
  ]);
  const next = nextCursor(response);
  const filter = state === undefined ? '' : ` --state ${state}`;
  const command = `pets webhooks deliveries ${endpointId} --limit ${limit}${filter} --cursor ${next}`;
  return report('done', 'listed', `${deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`}.`, {
    result: deliveries,
    next: next === null ? [] : [{ command, when: 'for the next page' }],
    text: table(
      ['ID', 'EVENT', ...(showsIds ? ['RESOURCE'] : []), 'STATE', 'LAST ANSWER', 'CREATED'],
      rows,
      terminal.width,
    ),
  });
};

const showDelivery: Command<[id: string, deliveryId: string]> = async (
  { api, showsIds, terminal },
  endpointId,
  deliveryId,
) => {
  const params = { path: { endpointId, deliveryId } };
  const delivery: WebhookDeliveryWithBody = await api.data(api.http.GET(`${PATH}/{deliveryId}`, { params }));
  const { id, type, subjectId, state, createdAt, deliveredAt, nextAttemptAt, attempts, body } = delivery;
  const facts: Facts = [
    ['delivery', id],
    ['event', type],
    ['resource', showsIds ? subjectId : null],
    ['state', state],
    ['created', terminal.time(createdAt)],
    ['delivered', deliveredAt && terminal.time(deliveredAt)],
    ['next attempt', nextAttemptAt && terminal.time(nextAttemptAt)],
  ];
  const rows = attempts.map((attempt) => [
    String(attempt.number),
    terminal.time(attempt.at),
    `${attempt.durationMs} ms`,
    answerOf(attempt),
    attempt.bodyStart ?? '',
  ]);
  const tried = table(['ATTEMPT', 'TIME', 'TOOK', 'ANSWER', 'BODY'], rows, indentedWidth(terminal.width));
  return report('done', state, `The delivery is ${state} after ${pluralize(attempts.length, 'attempt')}.`, {
    result: delivery,
    next:
      state === 'failed' ? [{ command: `pets webhooks redeliver ${endpointId} ${id}`, when: 'to send it again' }] : [],
    text: paragraphs([presentFacts(facts, terminal.width), titled('Attempts', tried), titled('Body', printable(body))]),
  });
};

const redeliver: Command<[id: string, deliveryId: string]> = async ({ api }, endpointId, deliveryId) => {
  const params = { path: { endpointId, deliveryId }, header: { 'Idempotency-Key': randomUUID() } };
  const delivery: WebhookDelivery = await api.data(api.http.POST(`${PATH}/{deliveryId}/replay`, { params }));
  return report('done', 'scheduled', `Delivery ${delivery.id} is being sent again.`, {
    result: delivery,
    next: [{ command: `pets webhooks delivery ${endpointId} ${delivery.id}`, when: 'to see the answer' }],
  });
};

function answerOf({ status, error }: WebhookDelivery['attempts'][number]): string {
  return status === null ? (error ?? '') : String(status);
}
