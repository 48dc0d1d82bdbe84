import type { components } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { setupTexts } from '@pets/domain-setup';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton } from '../components/form.js';
import { StatusPill } from '../components/notice.js';
import { TextLink } from '../components/page.js';
import { useMay } from '../session/caller.js';
import { deriveStatus } from './domain-status.js';
import { pairStrings } from './domain-strings.js';
import { domainConfigQuery, domainQuery } from './domains.queries.js';
import { redirectingOf, roleOf, withSwapped } from './domain-role.js';

/** The counterpart of a domain, `www.<apex>` or the apex; null without one. */
export function useTwin(projectId: string, { pairedWith }: Pick<Domain, 'pairedWith'>): Domain | null {
  const { data } = useQuery({ ...domainQuery(projectId, pairedWith ?? ''), enabled: pairedWith !== null });
  return pairedWith === null || data === undefined || data.state === 'removed' ? null : data;
}

interface PairCardProps {
  readonly projectId: string;
  readonly pair: readonly [Domain, Domain];
}

/** Names of a pair, with the state and the role of each. */
export function PairCard({ projectId, pair }: PairCardProps) {
  const { data: loaded } = useQuery(domainConfigQuery(projectId));
  return (
    <ul role="list" className="card pair" aria-label={setupTexts.names}>
      {pair.map((domain, index) => {
        const { tone, text } = deriveStatus(domain);
        return (
          <li key={domain.id}>
            {index === 0 ? (
              <strong>{domain.unicodeName}</strong>
            ) : (
              <TextLink to={`/projects/${projectId}/settings/domains/${domain.id}`}>{domain.unicodeName}</TextLink>
            )}
            <StatusPill tone={tone}>{text}</StatusPill>
            <span className="muted">{roleOf(domain, loaded?.config)}</span>
          </li>
        );
      })}
      {loaded !== undefined && <Swap projectId={projectId} pair={pair} loaded={loaded} />}
    </ul>
  );
}

interface SwapProps extends PairCardProps {
  readonly loaded: { readonly config: components['schemas']['DomainConfig']; readonly etag: string };
}

/** Lets the other name redirect. */
function Swap({ projectId, pair, loaded: { config, etag } }: SwapProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const swap = useMutation({
    mutationFn: () =>
      dataOf(
        api().PUT('/v1/projects/{projectId}/domain-config', {
          params: { path: { projectId }, header: { 'If-Match': etag } },
          body: withSwapped(pair, config),
        }),
      ),
    onSuccess: () => announce(pairStrings.swapped),
    // Also when somebody else has changed it.
    onSettled: () => queryClient.invalidateQueries(domainConfigQuery(projectId)),
  });
  if (redirectingOf(pair, config) === undefined || !may('putDomainConfig')) return null;
  return (
    <li>
      <ActionButton variant="default" size="xs" isBusy={swap.isPending} onClick={() => swap.mutate()}>
        {pairStrings.swap}
      </ActionButton>
      <ActionError error={swap.error} />
    </li>
  );
}
