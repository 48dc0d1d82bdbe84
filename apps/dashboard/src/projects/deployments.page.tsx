import { Badge, Button, Card, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { useState } from 'react';
import { api, dataOf, TRANSFER_TIMEOUT_MS } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ErrorAlert } from '../components/error.js';
import { Confirmation, Dialog } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { Page } from '../components/page.js';
import { Instant } from '../components/time.js';
import { formatBytes } from '../format.js';
import { deploymentsQuery, organizationQuery } from './projects.queries.js';

const text = {
  title: 'Deployments',
  empty: 'No deployments yet. Upload the files of your site as a gzipped tar archive.',
  upload: 'Upload .tar.gz',
  uploading: 'Uploading and checking…',
  uploaded: 'Deployment uploaded and active.',
  active: 'Active',
  activate: 'Activate',
  collected: 'Deleted',
  collectedHint: 'The files of this deployment were deleted. To serve them again, upload them again.',
  delete: 'Delete',
  deleteTitle: 'Delete this deployment?',
  deleteText: 'You cannot activate it again. Its files count towards your storage for about one more day.',
  storage: (used: string, limit: string, kept: number) =>
    `Your organization uses ${used} of ${limit}. The last ${kept} deployments of each project are kept.`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
  limits: 'At most 50 MiB compressed, 200 MiB and 10,000 files unpacked. A new deployment is active immediately.',
};

/** Newest deployment first. */
export default function DeploymentsPage({ projectId }: { readonly projectId: string }) {
  const deployments = useQuery(deploymentsQuery(projectId));
  return (
    <Page title={text.title} actions={<Upload projectId={projectId} />}>
      <Text c="dimmed">{text.limits}</Text>
      <Storage />
      <Loaded query={deployments}>
        {(list) =>
          list.length === 0 ? (
            <Text>{text.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((deployment) => (
                <DeploymentCard key={deployment.id} projectId={projectId} deployment={deployment} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Empty until loaded. */
function Storage() {
  const { data } = useQuery(organizationQuery);
  if (data === undefined) return null;
  const { limits, usage } = data;
  const used = formatBytes(Number(usage.storageBytes));
  const limit = formatBytes(Number(limits.storageBytes));
  return <Text c="dimmed">{text.storage(used, limit, limits.keptDeployments)}</Text>;
}

function Upload({ projectId }: { readonly projectId: string }) {
  const queryClient = useQueryClient();
  const upload = useMutation({
    mutationFn: (bundle: File) =>
      dataOf(
        api({ timeoutMs: TRANSFER_TIMEOUT_MS }).POST('/v1/projects/{projectId}/deployments', {
          params: { path: { projectId } },
          headers: { 'content-type': 'application/gzip' },
          body: bundle,
        }),
      ),
    onSuccess: async () => {
      announce(text.uploaded);
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
      await queryClient.invalidateQueries(organizationQuery);
    },
  });
  return (
    <Stack gap="xs">
      <FileButton onChange={(file) => file !== null && upload.mutate(file)} accept=".gz,.tgz,application/gzip">
        {(props) => (
          <Button {...props} loading={upload.isPending}>
            {upload.isPending ? text.uploading : text.upload}
          </Button>
        )}
      </FileButton>
      {upload.error !== null && <ErrorAlert error={upload.error} />}
    </Stack>
  );
}

interface DeploymentCardProps {
  readonly projectId: string;
  readonly deployment: components['schemas']['Deployment'];
}

function DeploymentCard({ projectId, deployment }: DeploymentCardProps) {
  const { id, active, state, createdAt, files, bytes } = deployment;
  const queryClient = useQueryClient();
  const activate = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/projects/{projectId}/deployments/{deploymentId}/activate', {
          params: { path: { projectId, deploymentId: id } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries(deploymentsQuery(projectId)),
  });
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Card component="li" withBorder>
      <Group justify="space-between">
        <div>
          <Instant at={createdAt} />
          <Text c="dimmed" size="sm">
            {text.files(files)}, {formatBytes(bytes)}
          </Text>
        </div>
        {active && (
          <Badge variant="light" color="green">
            {text.active}
          </Badge>
        )}
        {state === 'collected' && (
          <Badge variant="light" color="gray">
            {text.collected}
          </Badge>
        )}
        {!active && state === 'ready' && (
          <Group gap="xs">
            <Button variant="default" size="xs" loading={activate.isPending} onClick={() => activate.mutate()}>
              {text.activate}
            </Button>
            <Button variant="default" size="xs" onClick={() => setConfirming(true)}>
              {text.delete}
            </Button>
          </Group>
        )}
      </Group>
      {state === 'collected' && (
        <Text c="dimmed" size="sm">
          {text.collectedHint}
        </Text>
      )}
      {activate.error !== null && <ErrorAlert error={activate.error} />}
      <Dialog opened={isConfirming} onClose={() => setConfirming(false)} title={text.deleteTitle}>
        <ConfirmDeletion projectId={projectId} deploymentId={id} onClose={() => setConfirming(false)} />
      </Dialog>
    </Card>
  );
}

interface ConfirmDeletionProps {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly onClose: () => void;
}

function ConfirmDeletion({ projectId, deploymentId, onClose }: ConfirmDeletionProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api().DELETE('/v1/projects/{projectId}/deployments/{deploymentId}', {
          params: { path: { projectId, deploymentId } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
  return (
    <Confirmation
      text={text.deleteText}
      label={text.delete}
      action={remove}
      isDestructive
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  );
}
