import { webhookStatisticsPeriods, type WebhookStatistics, type WebhookStatisticsPeriod } from '@pets/contracts';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../components/loaded.js';
import { FieldList, Section } from '../components/page.js';
import { formatCount, formatInstant } from '../format.js';
import { webhookStrings } from './webhook-strings.js';
import { statisticsQuery } from './webhooks.queries.js';

/** Counts and response times of an endpoint. */
export function Statistics({ endpointId }: { readonly endpointId: string }) {
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
