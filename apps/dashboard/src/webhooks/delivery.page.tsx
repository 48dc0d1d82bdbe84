import type { WebhookAttemptDetail, WebhookDeliveryWithBody } from '@pets/contracts';
import { useQuery } from '@tanstack/react-query';
import { Code, CopyValue } from '../components/copy.js';
import { ActionError } from '../components/error.js';
import { ActionButton } from '../components/form.js';
import { Loaded, LoadingPage } from '../components/loaded.js';
import { FieldList, Fold, NotFound, Page, Section, TextLink } from '../components/page.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { DeliveryState, replayLabelOf, useReplay } from './delivery-state.js';
import { webhookStrings } from './webhook-strings.js';
import { deliveryQuery } from './webhooks.queries.js';

interface DeliveryPageProps {
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** One delivery: what was sent, and what came back in each attempt. */
export default function DeliveryPage({ endpointId, deliveryId }: DeliveryPageProps) {
  const may = useMay();
  const delivery = useQuery(deliveryQuery(endpointId, deliveryId));
  const replay = useReplay(endpointId);
  const label = delivery.data === undefined ? null : replayLabelOf(delivery.data);
  const back = `/webhooks/${endpointId}`;
  return (
    <Loaded
      query={delivery}
      loading={<LoadingPage title={webhookStrings.delivery} />}
      missing={<NotFound text={webhookStrings.noDelivery} to={back} back={webhookStrings.backToDeliveries} />}
    >
      {(found) => (
        <Page
          title={found.type}
          above={
            <>
              <TextLink to="/webhooks">{webhookStrings.title}</TextLink>
              <TextLink to={back}>{webhookStrings.deliveries}</TextLink>
            </>
          }
          status={<DeliveryState delivery={found} />}
          actions={
            label !== null &&
            may('replayWebhookDelivery') && (
              <ActionButton variant="default" isBusy={replay.isPending} onClick={() => replay.mutate(found)}>
                {label}
              </ActionButton>
            )
          }
          below={<ActionError error={replay.error} />}
        >
          <Facts delivery={found} />
          <Section title={webhookStrings.attemptsTitle}>
            {found.attempts.length === 0 && <p className="muted">{webhookStrings.noAttempts}</p>}
            {found.attempts.toReversed().map((attempt, index) => (
              <Attempt key={attempt.number} attempt={attempt} isOpen={index === 0} />
            ))}
          </Section>
          <Section title={webhookStrings.requestBody} isCard>
            <Code label={webhookStrings.requestBody} text={formatJson(found.body)} />
            <div>
              <CopyValue what={webhookStrings.requestBody} value={found.body} />
            </div>
          </Section>
        </Page>
      )}
    </Loaded>
  );
}

function Facts({ delivery }: { readonly delivery: WebhookDeliveryWithBody }) {
  const { id, subjectId, sequence, createdAt, deliveredAt } = delivery;
  return (
    <div className="card">
      <FieldList
        fields={[
          [webhookStrings.id, <span className="value">{id}</span>],
          [webhookStrings.subject, <span className="value">{subjectId}</span>],
          [webhookStrings.sequence, sequence],
          [webhookStrings.happened, <Instant at={createdAt} />],
          [webhookStrings.states.delivered, deliveredAt === null ? null : <Instant at={deliveredAt} />],
        ]}
      />
    </div>
  );
}

function Attempt({ attempt, isOpen }: { readonly attempt: WebhookAttemptDetail; readonly isOpen: boolean }) {
  const { number, at, status, durationMs, error, bodyStart, requestHeaders, responseHeaders } = attempt;
  return (
    <Fold
      title={webhookStrings.attempt(number, webhookStrings.response(status, durationMs))}
      hint={<Instant at={at} />}
      isOpen={isOpen}
    >
      {error !== null && <p className="attempt-error">{error}</p>}
      <Headers title={webhookStrings.requestHeaders} headers={requestHeaders} />
      <Headers title={webhookStrings.responseHeaders} headers={responseHeaders} />
      {bodyStart !== null && (
        <div>
          <h3 className="code-title">{webhookStrings.responseBody}</h3>
          {bodyStart === '' ? (
            <p className="muted">{webhookStrings.emptyBody}</p>
          ) : (
            <Code label={webhookStrings.responseBody} text={bodyStart} />
          )}
        </div>
      )}
    </Fold>
  );
}

function Headers({ title, headers }: { title: string; headers: WebhookAttemptDetail['requestHeaders'] }) {
  if (headers === null) return null;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div>
      <h3 className="code-title">{title}</h3>
      {lines.length === 0 ? (
        <p className="muted">{webhookStrings.noHeaders}</p>
      ) : (
        <Code label={title} text={lines.join('\n')} />
      )}
    </div>
  );
}

/**
 * JSON with line breaks. Only white space is added, since parsing would round integers above 2^53. What is no JSON stays as it
 * is.
 */
export function formatJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  const indent = () => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[{}[\],:]|\s+/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1;
      return token + indent();
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return indent() + token;
    }
    if (token === ',') return token + indent();
    if (token === ':') return ': ';
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, '');
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
