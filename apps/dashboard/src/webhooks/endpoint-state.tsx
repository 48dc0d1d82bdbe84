import type { WebhookEndpoint } from '@pets/contracts';
import { StatusPill } from '../components/notice.js';
import { Instant } from '../components/time.js';
import { webhookStrings } from './webhook-strings.js';

/** Whether an endpoint receives events: amber while its deliveries fail. */
export function EndpointState({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { enabled, disabledReason, failingSince, pausedAt, previousSecretUntil } = endpoint;
  if (!enabled) {
    const needsAction = disabledReason !== 'owner';
    return (
      <span>
        <StatusPill tone={needsAction ? 'warning' : 'neutral'}>{webhookStrings.disabled}</StatusPill>
        {disabledReason !== null && <small> {webhookStrings.reasons[disabledReason]}</small>}
      </span>
    );
  }
  if (pausedAt !== null) {
    return (
      <span>
        <StatusPill tone="warning">{webhookStrings.paused}</StatusPill>
        <small> {webhookStrings.pausedReason}</small>
      </span>
    );
  }
  return (
    <span>
      <StatusPill tone={failingSince === null ? 'good' : 'warning'}>
        {failingSince === null ? webhookStrings.enabled : webhookStrings.failing}
      </StatusPill>
      {failingSince !== null && (
        <small>
          {' '}
          {webhookStrings.since} <Instant at={failingSince} />
        </small>
      )}
      {previousSecretUntil !== null && (
        <small>
          {' '}
          {webhookStrings.bothSecrets} <Instant at={previousSecretUntil} />
        </small>
      )}
    </span>
  );
}
