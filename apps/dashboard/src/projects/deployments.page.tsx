import { Badge, Button, Card, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { useState } from 'react';
import { api, bodyOf } from '../api/api.js';
import { formatBytes } from '../format.js';
import { announce } from '../parts/announcer.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/failure.js';
import { Instant } from '../parts/instant.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { strings } from '../strings.js';
import { deploymentStrings as words } from './deployment-strings.js';
import { organizationQuery } from './organization.query.js';
import { deploymentsQuery } from './projects.queries.js';

/** What a project has served and serves, newest first; the place to put something new. */
export default function DeploymentsPage({ projectId }: { readonly projectId: string }) {
  const deployments = useQuery(deploymentsQuery(projectId));
  return (
    <Page title={words.title} actions={<Upload projectId={projectId} />}>
      <Text c="dimmed">{words.limits}</Text>
      <Storage />
      <Loaded query={deployments}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.empty}</Text>
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

/** Nothing until it has been read. */
function Storage() {
  const { data } = useQuery(organizationQuery);
  if (data === undefined) return null;
  const { limits, usage } = data;
  const [used, most] = [formatBytes(Number(usage.storageBytes)), formatBytes(Number(limits.storageBytes))];
  return <Text c="dimmed">{words.storage(used, most, limits.keptDeployments)}</Text>;
}

function Upload({ projectId }: { readonly projectId: string }) {
  const queryClient = useQueryClient();
  const upload = useMutation({
    mutationFn: (bundle: File) =>
      bodyOf(
        api().POST('/v1/projects/{projectId}/deployments', {
          params: { path: { projectId } },
          headers: { 'content-type': 'application/gzip' },
          body: bundle,
        }),
      ),
    onSuccess: async () => {
      announce(words.uploaded);
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
      await queryClient.invalidateQueries(organizationQuery);
    },
  });
  return (
    <Stack gap="xs">
      <FileButton onChange={(file) => file !== null && upload.mutate(file)} accept=".gz,.tgz,application/gzip">
        {(props) => (
          <Button {...props} loading={upload.isPending}>
            {upload.isPending ? words.uploading : words.upload}
          </Button>
        )}
      </FileButton>
      {upload.error !== null && <Failure error={upload.error} />}
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
      bodyOf(
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
            {words.files(files)}, {formatBytes(bytes)}
          </Text>
        </div>
        {active && (
          <Badge variant="light" color="green">
            {words.active}
          </Badge>
        )}
        {state === 'collected' && (
          <Badge variant="light" color="gray">
            {words.collected}
          </Badge>
        )}
        {!active && state === 'ready' && (
          <Group gap="xs">
            <Button variant="default" size="xs" loading={activate.isPending} onClick={() => activate.mutate()}>
              {words.activate}
            </Button>
            <Button variant="default" size="xs" onClick={() => setConfirming(true)}>
              {words.delete}
            </Button>
          </Group>
        )}
      </Group>
      {state === 'collected' && (
        <Text c="dimmed" size="sm">
          {words.collectedHint}
        </Text>
      )}
      {activate.error !== null && <Failure error={activate.error} />}
      <Dialog opened={isConfirming} onClose={() => setConfirming(false)} title={words.deleteTitle}>
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
      bodyOf(
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
    <Stack gap="md">
      <Text>{words.deleteText}</Text>
      {remove.error !== null && <Failure error={remove.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {strings.cancel}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {words.delete}
        </Button>
      </Group>
    </Stack>
  );
}
