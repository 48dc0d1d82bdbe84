import { Button, NativeSelect } from '@mantine/core';
import { redirectStatuses, type RedirectStatus } from '@pets/contracts';
import { strings } from '../strings.js';
import type { Redirect } from './redirect-graph.js';

export interface Row {
  /** Stays with the row when others are added or deleted. */
  readonly key: number;
  readonly from: string;
  readonly to: string;
  readonly status: RedirectStatus;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

interface RedirectRowProps {
  readonly number: number;
  readonly row: Row;
  /** All redirects of the form, which this one may lead on to. */
  readonly redirects: readonly Redirect[];
  readonly sources: readonly Option[];
  readonly targets: readonly (Option | string)[];
  /** Errors of the API for source, target, and the row. */
  readonly errors: readonly (string | undefined)[];
  readonly onChange: (changed: Partial<Row>) => void;
  /** Null for a caller who may change nothing. */
  readonly onRemove: (() => void) | null;
}

/** One redirect in a row, and what its visitors get. */
export function RedirectRow(props: RedirectRowProps) {
  const { number, row, redirects, sources, targets, errors, onChange, onRemove } = props;
  const [fromError, toError, rowError] = errors;
  return (
    <div role="group" aria-label={strings.redirects.row(number)} className="redirect-row">
      <NativeSelect
        label={strings.redirects.from}
        value={row.from}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
        data={[...sources]}
        error={fromError ?? rowError}
      />
      <NativeSelect
        label={strings.redirects.status}
        value={String(row.status)}
        onChange={({ currentTarget: { value } }) => {
          const status = redirectStatuses.find((each) => String(each) === value);
          if (status !== undefined) onChange({ status });
        }}
        data={redirectStatuses.map((status) => ({
          value: String(status),
          label: `${status} ${strings.redirects.statuses[status]}`,
        }))}
      />
      <NativeSelect
        label={strings.redirects.to}
        value={row.to}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
        data={[...targets]}
        error={toError}
      />
      {onRemove !== null && (
        <Button variant="default" onClick={onRemove} aria-label={strings.redirects.removeRow(number)}>
          {strings.redirects.deleteRow}
        </Button>
      )}
      <Preview from={row.from} redirects={redirects} />
    </div>
  );
}

function Preview({ from, redirects }: { readonly from: string; readonly redirects: readonly Redirect[] }) {
  const { hops, end } = previewVisit(from, redirects);
  return (
    <p className="redirect-preview">
      <span>{strings.redirects.visitors}</span> <span className="value">{`https://${from}/page`}</span>
      {hops.length > 0 && ` ${strings.redirects.visitorsGet}`}
      {hops.map(({ status, to }, index) => (
        <span key={`${index} ${to}`}>
          {' '}
          → <strong>{status}</strong> → <span className="value">{`https://${to}/page`}</span>
        </span>
      ))}
      {end === 'loop' && <strong className="redirect-error"> {strings.redirects.loop}</strong>}
    </p>
  );
}

interface Hop {
  readonly status: number;
  readonly to: string;
}

/** Redirects that a visitor follows, and where they end. */
interface Visit {
  readonly hops: readonly Hop[];
  readonly end: 'site' | 'loop';
}

/** Follows the redirects of a configuration from a name. One that is being edited may contain a loop. */
export function previewVisit(from: string, redirects: readonly Redirect[]): Visit {
  const visited = new Set([from]);
  const hops: Hop[] = [];
  for (let at = from; ;) {
    const redirect = redirects.find((each) => each.from === at);
    if (redirect === undefined) return { hops, end: 'site' };
    hops.push({ status: redirect.status, to: redirect.to });
    if (visited.has(redirect.to)) return { hops, end: 'loop' };
    visited.add(redirect.to);
    at = redirect.to;
  }
}

/** The names that a redirect comes from or leads to, each once. */
export function involvedNames(redirects: readonly Redirect[]): readonly string[] {
  return [...new Set(redirects.flatMap(({ from, to }) => [from, to]))];
}
