import { exampleOfWebhook, webhookEventCatalog, webhookEventTypes, type WebhookEventType } from '@pets/contracts';

const introduction = `# Webhook events

Every \`type\` of an event with an example of the body of its request. [webhooks.md](webhooks.md) describes requests,
signatures and retries. The shapes of \`data\` are those of [openapi.json](openapi.json).

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all events, for docs/webhook-events.md. */
export function renderWebhookEvents(): string {
  return [introduction, ...webhookEventTypes.map(renderEvent)].join('\n');
}

function renderEvent(type: WebhookEventType): string {
  const { when, resource } = webhookEventCatalog[type];
  return `## ${type}

Sent when ${when}. \`data\` is the ${resource}.

\`\`\`json
${renderJson(exampleOfWebhook(type))}
\`\`\`
`;
}

/** Arrays of strings in one line, as Prettier formats them. */
function renderJson(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /\[\n(\s*"[^[\]{}]*")\n\s*\]/g,
    (_array, items: string) => `[${items.trim().replaceAll(/\n\s*/g, ' ')}]`,
  );
}
