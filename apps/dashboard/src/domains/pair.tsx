import type { components } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton } from '../components/form.js';
import { TextLink } from '../components/page.js';
import { useMay } from '../session/caller.js';
import { pairStrings } from './domain-strings.js';
import { domainConfigQuery, domainQuery } from './domains.queries.js';
import { redirectingOf, roleOf, withSwapped } from './domain-role.js';

/** The counterpart of a domain, `www.<apex>` or the apex; null without one. */
export function useTwin(projectId: string, { pairedWith }: Pick<Domain, 'pairedWith'>): Domain | null {
  const { data } = useQuery({ ...domainQuery(projectId, pairedWith ?? ''), enabled: pairedWith !== null });
  return pairedWith === null || data === undefined || data.state === 'removed' ? null : data;
}

interface PairProps {
  readonly projectId: string;
  readonly pair: readonly [Domain, Domain];
}

/** Links and controls for members beside the names of a pair: the way to the other name, the role of each, and its change. */
export function PairControls({ projectId, pair }: PairProps) {
  const { data: loaded } = useQuery(domainConfigQuery(projectId));
  const [, { id, name, unicodeName }] = pair;
  return (
    <>
      <span slot={`name ${name}`}>
        <TextLink to={`/projects/${projectId}/settings/domains/${id}`}>{unicodeName}</TextLink>
      </span>
      {pair.map((domain) => (
        <span key={domain.id} slot={`role ${domain.name}`} className="muted">
          {roleOf(domain, loaded?.config)}
        </span>
      ))}
      {loaded !== undefined && <Swap projectId={projectId} pair={pair} loaded={loaded} />}
    </>
  );
}

interface SwapProps extends PairProps {
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
    <div slot="pair">
      <ActionButton variant="default" size="xs" isBusy={swap.isPending} onClick={() => swap.mutate()}>
        {pairStrings.swap}
      </ActionButton>
      <ActionError error={swap.error} />
    </div>
  );
}
