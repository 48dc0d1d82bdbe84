import { exampleOfWebhook, webhookEventCatalog, webhookEventTypes } from '@pets/contracts';
import { Text } from '@mantine/core';
import { Code, CopyValue } from '../components/copy.js';
import { Fold, Page, TextLink } from '../components/page.js';
import { webhookStrings } from './webhook-strings.js';

/** Every event with an example of its payload, from the contracts. */
export default function WebhookEventsPage() {
  return (
    <Page
      title={webhookStrings.catalog}
      above={<TextLink to="/webhooks">{webhookStrings.title}</TextLink>}
      status={<span className="muted">{webhookStrings.catalogText}</span>}
    >
      {webhookEventTypes.map((type) => {
        const { when, resource } = webhookEventCatalog[type];
        const example = JSON.stringify(exampleOfWebhook(type), null, 2);
        return (
          <Fold key={type} title={type} hint={resource}>
            <Text>{webhookStrings.sentWhen(when)}</Text>
            <Code label={webhookStrings.exampleOf(type)} text={example} />
            <div>
              <CopyValue what={webhookStrings.exampleOf(type)} value={example} />
            </div>
          </Fold>
        );
      })}
    </Page>
  );
}
