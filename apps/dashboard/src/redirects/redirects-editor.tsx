import type { components } from '@pets/client';
import { displayName } from '@pets/contracts';
import { Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { api, ApiError, resultOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionButton } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Notice, READ_ONLY_NOTICE } from '../components/notice.js';
import { UnsavedChanges } from '../components/unsaved-changes.js';
import { projectsQuery } from '../projects/projects.queries.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { domainConfigQuery } from '../domains/domains.queries.js';
import { RedirectGraph } from './redirect-graph.js';
import { involvedNames, RedirectRow, type Row } from './redirect-row.js';

type DomainConfig = components['schemas']['DomainConfig'];

/** The edges redirect the platform host with this status. */
const PLATFORM_STATUS = 308;

type Host = Parameters<typeof displayName>[0];

interface RedirectsEditorProps {
  readonly projectId: string;
  readonly hosts: readonly Host[];
  /** The host of the platform URL. */
  readonly platformHost: string;
  readonly loaded: { readonly config: DomainConfig; readonly etag: string };
}

/** Edits the complete configuration. Saving requires that it has not changed since it was loaded (`If-Match`). */
export function RedirectsEditor({ projectId, hosts, platformHost, loaded }: RedirectsEditorProps) {
  const mayChange = useMay()('putDomainConfig');
  const { domains } = loaded.config;
  const names = hosts.map(({ name }) => name);
  const options = hosts.map((host) => ({ value: host.name, label: displayName(host) }));
  const [isDirty, setDirty] = useState(false);
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
  const { texts, isAtField } = fieldErrorsOf(save.error, [
    ...rows.flatMap((_row, index) => rowFields(index)),
    'domains.redirects',
    'domains.primary',
    'platformRedirect',
  ]);
  const form = useFocusedError(save.error);
  const redirectsPlatform = platformRedirect && primary !== '';
  const drawn = redirectsPlatform ? [...rows, { from: platformHost, to: primary, status: PLATFORM_STATUS }] : rows;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    const redirects = rows.map(({ from, to, status }) => ({ from, to, status }));
    const body = {
      domains: { ...(primary !== '' && { primary }), redirects },
      ...(redirectsPlatform && { platformRedirect: true }),
    };
    save.mutate(body, { onSuccess: () => setDirty(false) });
  };
  const changeRows = (changed: readonly Row[]) => {
    setDirty(true);
    // Errors are about rows by their number.
    if (isAtField) save.reset();
    setRows(changed);
  };
  const add = () => {
    const [to = '', from = ''] = primary === '' ? names : [primary, names.find((name) => name !== primary)];
    changeRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, from, to, status: 301 }]);
  };
  return (
    <form ref={form} onSubmit={submit} onChange={() => setDirty(true)}>
      <UnsavedChanges isDirty={isDirty} />
      {/* Without the scope, the form still shows the configuration. */}
      <fieldset
        className="plain-fieldset"
        disabled={!mayChange}
        aria-label={mayChange ? undefined : strings.redirects.title}
        aria-describedby={mayChange ? undefined : READ_ONLY_NOTICE}
      >
        <Stack gap="md">
          <div className="card">
            <NativeSelect
              label={strings.redirects.primary}
              description={strings.redirects.primaryHint}
              value={primary}
              onChange={(event) => setPrimary(event.currentTarget.value)}
              data={[{ value: '', label: strings.redirects.noPrimary }, ...options]}
              error={texts['domains.primary']}
            />
            <Checkbox
              label={strings.redirects.platform(platformHost)}
              description={strings.redirects.platformHint}
              checked={redirectsPlatform}
              disabled={primary === ''}
              onChange={(event) => setPlatformRedirect(event.currentTarget.checked)}
              error={texts.platformRedirect}
            />
          </div>
          <div className="card">
            {texts['domains.redirects'] !== undefined && (
              <Notice tone="critical" role="alert">
                {texts['domains.redirects']}
              </Notice>
            )}
            {rows.length === 0 && names.length >= 2 && <Text c="dimmed">{strings.redirects.none}</Text>}
            {rows.map((row, index) => (
              <RedirectRow
                key={row.key}
                number={index + 1}
                row={row}
                redirects={drawn}
                sources={options}
                targets={[...options, platformHost]}
                errors={rowFields(index).map((field) => texts[field])}
                onChange={(changed) =>
                  changeRows(rows.map((each) => (each.key === row.key ? { ...each, ...changed } : each)))
                }
                onRemove={mayChange ? () => changeRows(rows.filter(({ key }) => key !== row.key)) : null}
              />
            ))}
            {names.length < 2 && <Text c="dimmed">{strings.redirects.needsTwo}</Text>}
            {mayChange && (
              <div>
                <Button variant="default" onClick={add} disabled={names.length < 2}>
                  {strings.redirects.add}
                </Button>
              </div>
            )}
          </div>
          <SaveError projectId={projectId} error={isAtField ? null : save.error} />
          {mayChange && (
            <Group>
              <ActionButton type="submit" isBusy={save.isPending} busyLabel={strings.sending}>
                {strings.save}
              </ActionButton>
              {isDirty && <span className="muted">{strings.unsaved.hint}</span>}
            </Group>
          )}
          {drawn.length > 0 && (
            <div className="card wide graph-card" tabIndex={0} role="region" aria-label={strings.redirects.graph}>
              <RedirectGraph
                names={involvedNames(drawn)}
                labels={new Map(hosts.map((host) => [host.name, host.unicodeName]))}
                primary={primary || null}
                redirects={drawn}
              />
            </div>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

type RowField = `domains.redirects.${number}${'.from' | '.to' | ''}`;

/** Names of the fields of a row to which the API assigns errors: its source, its target, or the row. */
function rowFields(index: number): readonly [from: RowField, to: RowField, row: RowField] {
  const row = `domains.redirects.${index}` as const;
  return [`${row}.from`, `${row}.to`, row];
}

/** The first field with an error takes the focus. */
function useFocusedError(error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
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
  if (!(error instanceof ApiError && error.code === 'precondition_failed')) return <ActionError error={error} />;
  return (
    <Notice tone="warning" role="alert">
      <Text>{strings.redirects.changedElsewhere}</Text>
      <Button
        variant="default"
        size="xs"
        onClick={() => void queryClient.invalidateQueries(domainConfigQuery(projectId))}
      >
        {strings.redirects.reload}
      </Button>
    </Notice>
  );
}

/** A configuration keeps names as they were written. The form uses the ASCII names of the list. */
function asciiName(written: string, hosts: readonly Host[]): string {
  const typed = written.trim().toLowerCase().normalize('NFC').replace(/\.$/, '');
  return hosts.find(({ name, unicodeName }) => typed === name || typed === unicodeName)?.name ?? written;
}
