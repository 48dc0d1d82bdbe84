import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, TRANSFER_TIMEOUT_MS } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { strings } from '../strings.js';
import { Prerequisites } from './add-domain.js';
import { importsQuery } from './imports.queries.js';

const TYPES = '.csv,.ndjson,.jsonl,text/csv,application/x-ndjson';

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
          <FileButton onChange={setFile} accept={TYPES} inputProps={{ 'aria-label': strings.imports.file }}>
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
