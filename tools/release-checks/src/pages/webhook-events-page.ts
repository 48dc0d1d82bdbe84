import { exampleOfWebhook, webhookEventCatalog, webhookEventTypes, type WebhookEventType } from '@pets/contracts';

const introduction = `# Webhook events

Every \`type\` of an event. [webhooks.md](webhooks.md) describes requests, signatures and retries. The shapes of \`data\` are
those of [openapi.json](openapi.json). Every request has the complete resource as \`data\`. The first event of each resource
shows a complete body. Each other event shows the members of its \`data\` that differ from an event above, by path.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all events, for docs/webhook-events.md. */
export function renderWebhookEvents(): string {
  return [introduction, ...webhookEventTypes.map(renderEvent)].join('\n');
}

function renderEvent(type: WebhookEventType, index: number): string {
  const { when, resource } = webhookEventCatalog[type];
  const heading = `## ${type}\n\nSent when ${when}. \`data\` is the ${resource}`;
  const [nearest] = webhookEventTypes
    .slice(0, index)
    .filter((other) => webhookEventCatalog[other].resource === resource)
    .map((other) => ({ other, changes: renderChanges(other, type) }))
    .toSorted((one, another) => one.changes.length - another.changes.length);
  if (nearest === undefined) return `${heading}:\n\n${renderJson(exampleOfWebhook(type))}`;
  const base = `as in [${nearest.other}](#${nearest.other.replaceAll('.', '')})`;
  return nearest.changes === '' ? `${heading} ${base}.\n` : `${heading} ${base}, except:\n\n${nearest.changes}`;
}

function renderChanges(from: WebhookEventType, to: WebhookEventType): string {
  const changes = listChanges(webhookEventCatalog[from].example, webhookEventCatalog[to].example);
  return changes.length === 0 ? '' : renderJson(Object.fromEntries(changes));
}

/** The members that differ from `base`, by path. Arrays are compared as one value. */
function listChanges(base: object, example: object, prefix = ''): readonly (readonly [string, unknown])[] {
  const former = new Map<string, unknown>(Object.entries(base));
  return Object.entries(example).flatMap(([key, value]: readonly [string, unknown]) => {
    const path = `${prefix}${key}`;
    const old = former.get(key);
    if (JSON.stringify(old) === JSON.stringify(value)) return [];
    return isRecord(old) && isRecord(value) ? listChanges(old, value, `${path}.`) : [[path, value] as const];
  });
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arrays of strings in one line, as Prettier formats them. */
function renderJson(value: object): string {
  const json = JSON.stringify(value, null, 2).replaceAll(
    /\[\n(\s*"[^[\]{}]*")\n\s*\]/g,
    (_array, items: string) => `[${items.trim().replaceAll(/\n\s*/g, ' ')}]`,
  );
  return `\`\`\`json\n${json}\n\`\`\`\n`;
}
