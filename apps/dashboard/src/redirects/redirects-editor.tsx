import type { components } from '@pets/client';
import { displayName, redirectStatuses, type RedirectStatus } from '@pets/contracts';
import { Alert, Button, Checkbox, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, ApiError, resultOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ErrorAlert } from '../components/error.js';
import { projectsQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { RedirectGraph } from './redirect-graph.js';

type DomainConfig = components['schemas']['DomainConfig'];

/** The edges redirect the platform host with this status. */
const PLATFORM_STATUS = 308;

interface Row {
  /** Stays with the row when others are added or deleted. */
  readonly key: number;
  readonly from: string;
  readonly to: string;
  readonly status: RedirectStatus;
}

type Host = Parameters<typeof displayName>[0];

interface Option {
  readonly value: string;
  readonly label: string;
}

/** The configuration and its ETag, which an update must send. */
export const domainConfigQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-config'],
    queryFn: async ({ signal }) => {
      const { data, response } = await resultOf(
        api().GET('/v1/projects/{projectId}/domain-config', { params: { path: { projectId } }, signal }),
      );
      return { config: data, etag: response.headers.get('etag') ?? '*' };
    },
  });

interface RedirectsEditorProps {
  readonly projectId: string;
  readonly hosts: readonly Host[];
  /** The host of the platform URL. */
  readonly platformHost: string;
  readonly loaded: { readonly config: DomainConfig; readonly etag: string };
}

/** Edits the complete configuration. Saving requires that it has not changed since it was loaded (`If-Match`). */
export function RedirectsEditor({ projectId, hosts, platformHost, loaded }: RedirectsEditorProps) {
  const { domains } = loaded.config;
  const names = hosts.map(({ name }) => name);
  const options = hosts.map((host) => ({ value: host.name, label: displayName(host) }));
  const [platformRedirect, setPlatformRedirect] = useState(loaded.config.platformRedirect ?? false);
  const [primary, setPrimary] = useState(asciiName(domains.primary ?? '', hosts));
  const [rows, setRows] = useState<readonly Row[]>(() =>
    (domains.redirects ?? []).map(({ from, to, status }, key) => ({
      key,
      status,
      from: asciiName(from, hosts),
      to: asciiName(to, hosts),
    })),
  );
  const save = useSaveConfig(projectId, loaded.etag);
  const redirectsPlatform = platformRedirect && primary !== '';
  const drawn = redirectsPlatform ? [...rows, { from: platformHost, to: primary, status: PLATFORM_STATUS }] : rows;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const redirects = rows.map(({ from, to, status }) => ({ from, to, status }));
    save.mutate({
      domains: { ...(primary !== '' && { primary }), redirects },
      ...(redirectsPlatform && { platformRedirect: true }),
    });
  };
  const change = (key: number, changed: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  const add = () => {
    const [to = '', from = ''] = primary === '' ? names : [primary, names.find((name) => name !== primary)];
    setRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, from, to, status: 301 }]);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label={strings.redirects.primary}
          value={primary}
          onChange={(event) => setPrimary(event.currentTarget.value)}
          data={[{ value: '', label: strings.redirects.noPrimary }, ...options]}
        />
        <Checkbox
          label={strings.redirects.platform(platformHost)}
          description={strings.redirects.platformHint}
          checked={redirectsPlatform}
          disabled={primary === ''}
          onChange={(event) => setPlatformRedirect(event.currentTarget.checked)}
        />
        {rows.map((row, index) => (
          <RowFields
            key={row.key}
            number={index + 1}
            row={row}
            sources={options}
            targets={[...options, platformHost]}
            onChange={(changed) => change(row.key, changed)}
            onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
          />
        ))}
        {names.length < 2 && <Text c="dimmed">{strings.redirects.needsTwo}</Text>}
        <Group>
          <Button variant="default" onClick={add} disabled={names.length < 2}>
            {strings.redirects.add}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {strings.save}
          </Button>
        </Group>
        <SaveError projectId={projectId} error={save.error} />
        {drawn.length > 0 && (
          <div className="wide" tabIndex={0} role="region" aria-label={strings.redirects.graph}>
            <RedirectGraph
              names={[...names, platformHost]}
              labels={new Map(hosts.map((host) => [host.name, displayName(host)]))}
              primary={primary || null}
              redirects={drawn}
            />
          </div>
        )}
      </Stack>
    </form>
  );
}

interface RowFieldsProps {
  readonly number: number;
  readonly row: Row;
  readonly sources: readonly Option[];
  readonly targets: readonly (Option | string)[];
  readonly onChange: (changed: Partial<Row>) => void;
  readonly onRemove: () => void;
}

function RowFields({ number, row, sources, targets, onChange, onRemove }: RowFieldsProps) {
  return (
    <Fieldset legend={strings.redirects.row(number)}>
      <Group align="end">
        <NativeSelect
          label={strings.redirects.from}
          value={row.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
          data={[...sources]}
        />
        <NativeSelect
          label={strings.redirects.to}
          value={row.to}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
          data={[...targets]}
        />
        <NativeSelect
          label={strings.redirects.status}
          value={String(row.status)}
          onChange={({ currentTarget: { value } }) => {
            const status = redirectStatuses.find((each) => String(each) === value);
            if (status !== undefined) onChange({ status });
          }}
          data={redirectStatuses.map(String)}
        />
        <Button variant="default" onClick={onRemove} aria-label={strings.redirects.removeRow(number)}>
          {strings.redirects.deleteRow}
        </Button>
      </Group>
    </Fieldset>
  );
}

function useSaveConfig(projectId: string, etag: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: DomainConfig) =>
      resultOf(
        api().PUT('/v1/projects/{projectId}/domain-config', {
          params: { path: { projectId }, header: { 'If-Match': etag } },
          body,
        }),
      ),
    onSuccess: ({ data, response }) => {
      announce(strings.redirects.saved);
      queryClient.setQueryData(domainConfigQuery(projectId).queryKey, {
        config: data,
        etag: response.headers.get('etag') ?? '*',
      });
      // The URL of the project may have changed.
      void queryClient.invalidateQueries(projectsQuery);
    },
  });
}

function SaveError({ projectId, error }: { readonly projectId: string; readonly error: Error | null }) {
  const queryClient = useQueryClient();
  if (error === null) return null;
  if (!(error instanceof ApiError && error.code === 'precondition_failed')) return <ErrorAlert error={error} />;
  return (
    <Alert color="yellow" variant="light" role="alert">
      <Stack gap="xs" align="start">
        <Text>{strings.redirects.changedElsewhere}</Text>
        <Button
          variant="default"
          size="xs"
          onClick={() => void queryClient.invalidateQueries(domainConfigQuery(projectId))}
        >
          {strings.redirects.reload}
        </Button>
      </Stack>
    </Alert>
  );
}

/** A configuration keeps names as they were written. The form uses the ASCII names of the list. */
function asciiName(written: string, hosts: readonly Host[]): string {
  const typed = written.trim().toLowerCase().normalize('NFC').replace(/\.$/, '');
  return hosts.find(({ name, unicodeName }) => typed === name || typed === unicodeName)?.name ?? written;
}
