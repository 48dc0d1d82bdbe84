import { Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import type { DomainImport, DomainImportState } from '@pets/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, TRANSFER_TIMEOUT_MS } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm } from '../components/form.js';
import { StatusPill } from '../components/notice.js';
import { Section } from '../components/page.js';
import { Instant, useNow } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { Prerequisites } from './add-domain.js';
import { importsQuery } from './domains.queries.js';

/** Ended imports that are shown, for a day. The API has the others. */
const SHOWN = 3;
const HOUR_MS = 3_600_000;
const SHOWN_FOR_MS = 24 * HOUR_MS;

const colors = {
  running: 'progress',
  finished: 'good',
  cancelled: 'neutral',
  failed: 'critical',
} as const satisfies Record<DomainImportState, string>;

/** The imports under way and the last ones; nothing when there are none. */
export function Imports({ projectId }: { readonly projectId: string }) {
  const { data = [] } = useQuery(importsQuery(projectId));
  const now = useNow(HOUR_MS);
  const isRecent = ({ createdAt }: DomainImport) => now.getTime() - Date.parse(createdAt) < SHOWN_FOR_MS;
  const shown = data.filter((each, index) => each.state === 'running' || (index < SHOWN && isRecent(each)));
  if (shown.length === 0) return null;
  return (
    <Section title={strings.imports.recent}>
      <ul className="plain-list">
        {shown.map((each) => (
          <ImportCard key={each.id} domainImport={each} />
        ))}
      </ul>
    </Section>
  );
}

function ImportCard({ domainImport }: { readonly domainImport: DomainImport }) {
  const { action, state, reason, lines, done, results, createdAt } = domainImport;
  const may = useMay();
  const { cancel, download } = useActions(domainImport);
  const error = cancel.error ?? download.error;
  const counts = (['created', 'exists', 'removed', 'refused'] as const)
    .filter((result) => results[result] > 0)
    .map((result) => strings.imports.results[result](results[result]));
  return (
    <li className="card">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="sm">
            <Text fw={600}>{strings.imports.actions[action]}</Text>
            <Instant at={createdAt} />
            <StatusPill tone={colors[state]}>{strings.imports.states[state]}</StatusPill>
            <Text size="sm">{[strings.imports.progress(done, lines), ...counts].join(', ')}</Text>
          </Group>
          <Group gap="xs">
            {state === 'running' && may('cancelDomainImport') && (
              <ActionButton variant="default" size="xs" isBusy={cancel.isPending} onClick={cancel.mutate}>
                {strings.imports.cancel}
              </ActionButton>
            )}
            {state !== 'running' && (
              <ActionButton variant="default" size="xs" isBusy={download.isPending} onClick={download.mutate}>
                {strings.imports.report}
              </ActionButton>
            )}
          </Group>
        </Group>
        {state === 'running' && (
          <Progress value={lines === 0 ? 0 : (100 * done) / lines} aria-label={strings.imports.progress(done, lines)} />
        )}
        {reason !== null && <Text size="sm">{reason}</Text>}
        <ActionError error={error} />
      </Stack>
    </li>
  );
}

function useActions({ id: importId, projectId }: DomainImport) {
  const queryClient = useQueryClient();
  const params = { path: { projectId, importId } };
  const cancel = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/domain-imports/{importId}/cancel', { params })),
    onSuccess: async () => {
      announce(strings.imports.cancelled);
      await queryClient.invalidateQueries(importsQuery(projectId));
    },
  });
  const download = useMutation({
    mutationFn: async () => {
      const client = api({ timeoutMs: TRANSFER_TIMEOUT_MS });
      const path = '/v1/projects/{projectId}/domain-imports/{importId}/report';
      const report: Blob = await dataOf(client.GET(path, { params, parseAs: 'blob' }));
      saveAs(report, `import-${importId}.${report.type.startsWith('text/csv') ? 'csv' : 'ndjson'}`);
    },
  });
  return { cancel, download };
}

/** A link cannot send the key of the session. */
function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Files that can be uploaded. */
const FILE_TYPES = '.csv,.ndjson,.jsonl,text/csv,application/x-ndjson';

interface ImportDomainsProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Uploads a file of domains. The page shows the progress. */
export function ImportDomains({ projectId, opened, onClose }: ImportDomainsProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={strings.imports.title}>
      <Prerequisites projectId={projectId}>
        {(areMet) => <ImportForm projectId={projectId} onClose={onClose} isPossible={areMet} />}
      </Prerequisites>
    </Dialog>
  );
}

type ImportFormProps = Pick<ImportDomainsProps, 'projectId' | 'onClose'> & { readonly isPossible: boolean };

function ImportForm({ projectId, onClose, isPossible }: ImportFormProps) {
  const [file, setFile] = useState<File | null>(null);
  const start = useImport(projectId, onClose);
  return (
    <ActionForm
      label={strings.imports.start}
      action={start}
      onSubmit={() => file !== null && start.mutate(file)}
      disabled={!isPossible || file === null}
    >
      <Stack gap="xs">
        <Text size="sm">{strings.imports.text}</Text>
        <Group gap="sm">
          <FileButton onChange={setFile} accept={FILE_TYPES} inputProps={{ 'aria-label': strings.imports.file }}>
            {(props) => (
              <Button {...props} variant="default" disabled={!isPossible}>
                {file === null ? strings.imports.choose : strings.imports.chooseOther}
              </Button>
            )}
          </FileButton>
          <Text className="value">{file?.name ?? strings.imports.noFile}</Text>
        </Group>
      </Stack>
    </ActionForm>
  );
}

function useImport(projectId: string, onClose: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (file: File) =>
      dataOf(
        api({ timeoutMs: TRANSFER_TIMEOUT_MS }).POST('/v1/projects/{projectId}/domain-imports', {
          params: { path: { projectId }, query: { action: 'add' } },
          headers: { 'content-type': file.name.toLowerCase().endsWith('.csv') ? 'text/csv' : 'application/x-ndjson' },
          body: file,
        }),
      ),
    onSuccess: async () => {
      announce(strings.imports.started);
      await queryClient.invalidateQueries(importsQuery(projectId));
      onClose();
    },
  });
}
