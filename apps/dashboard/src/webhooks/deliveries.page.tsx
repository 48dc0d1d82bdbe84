import { NativeSelect } from '@mantine/core';
import {
  WEBHOOK_TEST_TYPE,
  type WebhookDelivery,
  type WebhookDeliveryState,
  webhookDeliveryStates,
  webhookEventTypes,
  type WebhookMessageType,
  type WebhookStatistics,
  type WebhookStatisticsPeriod,
  webhookStatisticsPeriods,
} from '@pets/contracts';
import { formatInstant } from '@pets/domain-setup';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isMissing } from '../api/api.js';
import { ActionError } from '../components/error.js';
import { SearchField, StatusFilter, useSearch } from '../components/filters.js';
import { ActionButton } from '../components/form.js';
import { Loaded, Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { FieldList, NotFound, Page, Section, TextLink } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { formatCount } from '../format.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { DeliveryState, replayLabelOf, useReplay } from './delivery-state.js';
import { EndpointMenu, EndpointState } from './endpoint.js';
import { webhookStrings } from './webhook-strings.js';
import {
  deliveriesQuery,
  type DeliveryFilters,
  endpointQuery,
  liveIntervalOf,
  statisticsQuery,
} from './webhooks.queries.js';

const types: readonly WebhookMessageType[] = [...webhookEventTypes, WEBHOOK_TEST_TYPE];

/** One endpoint: statistics and deliveries, which are read again every few seconds. */
export default function DeliveriesPage({ endpointId }: { readonly endpointId: string }) {
  const [state, setState] = useState<WebhookDeliveryState | null>(null);
  const [type, setType] = useState<WebhookMessageType | null>(null);
  const search = useSearch();
  const [error, setError] = useState<Error | null>(null);
  const endpoint = useQuery(endpointQuery(endpointId));
  if (isMissing(endpoint.error))
    return <NotFound text={webhookStrings.noEndpoint} to="/webhooks" back={webhookStrings.back} />;
  return (
    <Page
      title={endpoint.data?.url ?? webhookStrings.deliveries}
      above={<TextLink to="/webhooks">{webhookStrings.title}</TextLink>}
      status={endpoint.data && <EndpointState endpoint={endpoint.data} />}
      actions={endpoint.data && <EndpointMenu endpoint={endpoint.data} onError={setError} />}
      below={<ActionError error={error} />}
    >
      <Statistics endpointId={endpointId} />
      <div className="toolbar">
        <SearchField label={webhookStrings.search} search={search} maxLength={100} />
        <StatusFilter
          label={webhookStrings.state}
          statuses={webhookDeliveryStates}
          labels={webhookStrings.states}
          value={state}
          onChange={setState}
        />
        <NativeSelect
          label={webhookStrings.type}
          value={type ?? ''}
          onChange={({ currentTarget: { value } }) => setType(types.find((each) => each === value) ?? null)}
          data={[{ value: '', label: strings.all }, ...types]}
        />
      </div>
      <Deliveries endpointId={endpointId} filters={{ state, type, search: search.term }} />
    </Page>
  );
}

interface DeliveriesProps {
  readonly endpointId: string;
  readonly filters: DeliveryFilters;
}

function Deliveries({ endpointId, filters }: DeliveriesProps) {
  const deliveries = useInfiniteQuery({
    ...deliveriesQuery(endpointId, filters),
    refetchInterval: ({ state: { data } }) => liveIntervalOf(data?.pages.length ?? 1),
  });
  const replay = useReplay(endpointId);
  const isFiltered = filters.state !== null || filters.type !== null || filters.search !== '';
  return (
    <>
      <ActionError error={replay.error} />
      <Paged query={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              title={isFiltered ? webhookStrings.noneFound : webhookStrings.noDeliveries}
              text={isFiltered ? webhookStrings.noneFoundText : webhookStrings.noDeliveriesText}
            />
          ) : (
            <DeliveryTable deliveries={list} isBusy={replay.isPending} onReplay={replay.mutate} />
          )
        }
      </Paged>
    </>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly WebhookDelivery[];
  readonly isBusy: boolean;
  readonly onReplay: (delivery: WebhookDelivery) => void;
}

function DeliveryTable({ deliveries, isBusy, onReplay }: DeliveryTableProps) {
  const may = useMay();
  return (
    <div className="card" data-flush>
      <DataTable
        label={webhookStrings.deliveries}
        rows={deliveries}
        keyOf={({ id }) => id}
        columns={[
          {
            header: webhookStrings.event,
            kind: 'title',
            cell: ({ id, endpointId, type, subjectId }) => (
              <>
                <TextLink to={`/webhooks/${endpointId}/deliveries/${id}`}>{type}</TextLink>
                <small className="value">{subjectId}</small>
              </>
            ),
          },
          { header: webhookStrings.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
          { header: webhookStrings.lastResponse, cell: lastResponseOf },
          { header: webhookStrings.happened, kind: 'tight', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          {
            header: webhookStrings.actions,
            kind: 'tight',
            isShown: may('replayWebhookDelivery'),
            cell: (delivery) => {
              const label = replayLabelOf(delivery);
              if (label === null) return strings.none;
              return (
                <ActionButton size="xs" variant="default" isBusy={isBusy} onClick={() => onReplay(delivery)}>
                  {label}
                </ActionButton>
              );
            },
          },
        ]}
      />
    </div>
  );
}

/** Response to the newest attempt: "200 · 38 ms". */
function lastResponseOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last === undefined ? strings.none : webhookStrings.response(last.status, last.durationMs);
}

/** Counts and response times of an endpoint. */
function Statistics({ endpointId }: { readonly endpointId: string }) {
  const [period, setPeriod] = useState<WebhookStatisticsPeriod>('day');
  const statistics = useQuery(statisticsQuery(endpointId, period));
  return (
    <Section title={webhookStrings.statistics} isCard>
      <div className="statistics">
        <NativeSelect
          label={webhookStrings.period}
          value={period}
          onChange={({ currentTarget: { value } }) =>
            setPeriod(webhookStatisticsPeriods.find((each) => each === value) ?? period)
          }
          data={webhookStatisticsPeriods.map((value) => ({ value, label: webhookStrings.periods[value] }))}
        />
        <Loaded query={statistics}>{(found) => <Figures statistics={found} />}</Loaded>
      </div>
    </Section>
  );
}

function Figures({ statistics }: { readonly statistics: WebhookStatistics }) {
  const { attempts, failedAttempts, delivered, failed, medianMs, p95Ms } = statistics;
  return (
    <>
      <FieldList
        fields={[
          [webhookStrings.states.delivered, formatCount(delivered)],
          [webhookStrings.failedDeliveries, formatCount(failed)],
          [webhookStrings.failedAttempts, webhookStrings.ofAttempts(failedAttempts, attempts)],
          [webhookStrings.responseTime, webhookStrings.times(medianMs, p95Ms)],
        ]}
      />
      {attempts > 0 && <Bars statistics={statistics} />}
    </>
  );
}

const BAR_WIDTH = 10;
const HEIGHT = 40;

/** Attempts over time. The figures beside it say the same in words, so it has one name for screen readers. */
function Bars({ statistics: { points, attempts, failedAttempts, period } }: { statistics: WebhookStatistics }) {
  const most = Math.max(...points.map((point) => point.attempts), 1);
  const scale = (count: number) => (count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT));
  const name = `${webhookStrings.periods[period]}: ${webhookStrings.ofAttempts(failedAttempts, attempts)}`;
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${points.length * BAR_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
    >
      {points.map((point, index) => {
        const [all, bad] = [scale(point.attempts), scale(point.failedAttempts)];
        const bar = { x: index * BAR_WIDTH + 1, width: BAR_WIDTH - 2 };
        return (
          <g key={point.from}>
            <title>{`${formatInstant(point.from)}: ${webhookStrings.ofAttempts(point.failedAttempts, point.attempts)}`}</title>
            <rect {...bar} className="bar" y={HEIGHT - all} height={all} />
            <rect {...bar} className="bar" data-tone="critical" y={HEIGHT - bad} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
